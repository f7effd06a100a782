package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rows of the store that cannot be read. */
class DamagedStoreTest {
  private static final String NEVER_SENT =
      "{\"clientMsgId\":\"a\",\"to\":{\"user\":\"alice\"},\"payload\":\"1\",\"createdAt\":1}";
  private static final String SENT =
      "{\"clientMsgId\":\"b\",\"to\":{\"user\":\"alice\"},\"payload\":\"2\",\"createdAt\":1,"
          + "\"firstSentAt\":1795998640000}";

  private final MemoryStore store = new MemoryStore();
  private final List<String> dropped = new ArrayList<>();

  private Rig with(Map<String, String> rows) {
    rows.forEach((key, value) -> store.set(Map.of(Rig.ROWS + key, value)));
    Rig rig = new Rig(store);
    rig.client.onDropped(gone -> dropped.add(gone.clientMsgId() + " " + gone.reason()));
    rig.client.connect();
    return rig;
  }

  @Test
  @DisplayName("R-5.2 without its session a client is a new one, told so, and keeps its outbox")
  void session() {
    Rig rig =
        with(
            Map.of(
                "session",
                "{\"clientId\":\"bob-ph", // the rest is missing
                "channels",
                "{\"rooms:lobby\":\"07\"}",
                "out/000000000001",
                NEVER_SENT,
                "out/000000000002",
                SENT));
    rig.client.subscribe("rooms:lobby");
    ScriptWire wire = rig.open();
    JsonNode hello = rig.frame(wire, "hello");
    assertThat(rig.telemetry).contains("storage_failed unreadable session");
    assertThat(hello.path("clientId").asText()).hasSize(16);
    assertThat(hello.has("lastSeq")).isFalse();
    assertThat(hello.path("channels").path(0).path("position").asText()).isEqualTo("07");
    rig.welcome(wire, 0);
    assertThat(rig.frame(wire, "send").path("clientMsgId").asText()).isEqualTo("a");
    // under another name the server would take it for another message
    assertThat(dropped).containsExactly("b uncertain");
    assertThat(wire.sent).isEmpty();
  }

  @Test
  @DisplayName("R-4.4 with its own name a client without its session asks for all there is")
  void nothingIsPassedOver() {
    store.set(Map.of(Rig.ROWS + "session", "[]", Rig.ROWS + "out/000000000001", SENT));
    Rig rig = new Rig(store, builder -> builder.user("bob").clientId("bob-phone"));
    rig.client.onHistory(page -> {});
    rig.client.connect();
    ScriptWire wire = rig.open();
    assertThat(rig.frame(wire, "hello").path("clientId").asText()).isEqualTo("bob-phone");
    rig.welcome(wire, 5); // ackSeq 5: what the server knows, and this client no more
    assertThat(rig.asked).singleElement().asString().contains("after=0&");
    assertThat(rig.frame(wire, "send").path("clientMsgId").asText()).isEqualTo("b");
  }

  @Test
  @DisplayName("R-5.2 one damaged field or row does not take the others along")
  void others() {
    Rig rig =
        with(
            Map.of(
                "session",
                "{\"clientId\":\"bob-phone\",\"attempt\":7,\"epoch\":\"e\",\"lastSeq\":4,"
                    + "\"owed\":[{\"epoch\":\"e\",\"from\":9,\"to\":3}]}",
                "seen",
                "nonsense",
                "channels",
                "7",
                "out/000000000001",
                "{\"clientMsgId\":\"x\"}",
                "out/000000000003",
                NEVER_SENT));
    ScriptWire wire = rig.open();
    JsonNode hello = rig.frame(wire, "hello");
    assertThat(hello.path("clientId").asText()).isEqualTo("bob-phone");
    assertThat(hello.path("lastSeq").asLong()).isEqualTo(4);
    assertThat(rig.telemetry)
        .contains(
            "storage_failed unreadable session",
            "storage_failed unreadable seen",
            "storage_failed unreadable channels",
            "storage_failed unreadable out/000000000001");
    rig.welcome(wire, 4);
    assertThat(rig.frame(wire, "send").path("clientMsgId").asText()).isEqualTo("a");
    assertThat(dropped).isEmpty();
  }

  @Test
  @DisplayName("R-5.2 what a later version added to a row is no damage")
  void later() {
    Rig rig =
        with(
            Map.of(
                "session",
                "{\"added\":{\"by\":1},\"clientId\":\"bob-phone\",\"attempt\":7,\"epoch\":\"e\",\"lastSeq\":4,"
                    + "\"owed\":[{\"epoch\":\"e\",\"from\":1,\"to\":3,\"added\":1}]}",
                "out/000000000001",
                NEVER_SENT.replace("\"createdAt\"", "\"added\":1,\"createdAt\"")));
    rig.client.onHistory(page -> {});
    ScriptWire wire = rig.open();
    JsonNode hello = rig.frame(wire, "hello");
    assertThat(hello.path("clientId").asText()).isEqualTo("bob-phone");
    assertThat(hello.path("lastSeq").asLong()).isEqualTo(4);
    rig.welcome(wire, 4);
    assertThat(rig.asked).singleElement().asString().contains("after=1&");
    assertThat(rig.frame(wire, "send").path("clientMsgId").asText()).isEqualTo("a");
    assertThat(rig.telemetry).noneMatch(told -> told.contains("unreadable"));
  }
}
