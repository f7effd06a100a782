package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.port.Ended;
import dev.holdfast.client.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ChannelsTest {
  private static final String LOBBY = "rooms:lobby";
  private static final String HALL = "rooms:hall";

  private final MemoryStore store = new MemoryStore();

  private static String subscribed(String position, String how) {
    return "{'type':'subscribed','channel':'rooms:lobby','position':'"
        + position
        + "',"
        + how
        + "}";
  }

  private static String event(String position) {
    return "{'type':'event','channel':'rooms:lobby','position':'%s','msgId':'m%s','payload':1}"
        .formatted(position, position);
  }

  @Test
  @DisplayName("R-4.7 a process that dies goes on behind what was handed over, whatever was told")
  void positionWaits() {
    Rig first = new Rig(store);
    first.client.onEventAsync(event -> new CompletableFuture<>()); // never through
    first.client.subscribe(LOBBY);
    first.client.connect();
    ScriptWire wire = first.online();
    first.tell(wire, subscribed("01", "'recovered':false,'reason':'new'"));
    first.tell(wire, event("02"));
    first.tell(wire, event("03"));
    wire.listener.ended(Ended.broken("cut"));
    first.time.pass(2_000);
    wire = first.open();
    first.welcome(wire, 0);
    first.tell(wire, subscribed("08", "'recovered':false,'reason':'gap'"));
    first.tell(wire, "{'type':'progress','channel':'rooms:lobby','position':'09'}");
    first.time.pass(5_000);

    Rig second = new Rig(store);
    second.client.subscribe(LOBBY);
    second.client.connect();
    JsonNode hello = second.frame(second.open(), "hello");
    assertThat(hello.path("channels").path(0).path("position").asText()).isEqualTo("01");
  }

  @Test
  @DisplayName("R-4.7 an event that was not handed over is none that is known when it comes again")
  void comesAgain() {
    Rig rig = new Rig(store);
    List<String> got = new ArrayList<>();
    boolean[] works = {false};
    rig.client.onEvent(
        event -> {
          if (!works[0]) {
            throw new IllegalStateException("not now");
          }
          got.add(event.position());
        });
    rig.client.subscribe(LOBBY);
    rig.client.connect();
    ScriptWire wire = rig.online();
    rig.tell(wire, subscribed("01", "'recovered':false,'reason':'new'"));
    rig.tell(wire, event("02")); // fails
    rig.tell(wire, event("03")); // waits
    rig.client.unsubscribe(LOBBY);
    rig.client.subscribe(LOBBY, "01", null);
    rig.time.settle();
    works[0] = true;
    rig.tell(wire, subscribed("01", "'recovered':true"));
    rig.tell(wire, event("02"));
    rig.tell(wire, event("03"));
    rig.tell(wire, event("03"));
    rig.time.pass(60_000);
    assertThat(got).containsExactly("02", "03");
  }

  @Test
  @DisplayName("R-4.7 an event that fails holds no other channel up once its own was left")
  void leftChannelHoldsNobodyUp() {
    Rig rig = new Rig(store);
    List<String> got = new ArrayList<>();
    rig.client.onEvent(
        event -> {
          if (event.channel().equals(LOBBY)) {
            throw new IllegalStateException("never");
          }
          got.add(event.position());
        });
    rig.client.subscribe(LOBBY);
    rig.client.subscribe(HALL);
    rig.client.connect();
    ScriptWire wire = rig.online();
    for (String channel : List.of(LOBBY, HALL)) {
      String begun = subscribed("01", "'recovered':false,'reason':'new'");
      rig.tell(wire, begun.replace(LOBBY, channel));
      rig.tell(wire, event("02").replace(LOBBY, channel));
    }
    assertThat(got).isEmpty();
    rig.client.unsubscribe(LOBBY);
    rig.time.pass(1);
    assertThat(got).containsExactly("02");
  }

  @Test
  @DisplayName("R-4.7 what the server refuses for now is asked for again, each channel, not sooner")
  void refusedForNow() {
    Rig rig = new Rig(store);
    List<Unsubscribed> told = new ArrayList<>();
    rig.client.onUnsubscribed(told::add);
    rig.client.subscribe(LOBBY);
    rig.client.subscribe(HALL);
    rig.client.connect();
    ScriptWire wire = rig.online();
    rig.tell(
        wire,
        "{'type':'error','code':'rate_limited','message':'','retryable':true,'retryAfterMs':3000,"
            + "'channel':'rooms:lobby','channels':['rooms:lobby','rooms:hall']}");
    assertThat(told)
        .containsExactly(
            new Unsubscribed(LOBBY, "rate_limited", true),
            new Unsubscribed(HALL, "rate_limited", true));
    rig.time.pass(2_999);
    assertThat(wire.sent).isEmpty();
    rig.time.pass(1_100);
    assertThat(rig.frame(wire, "subscribe").path("channels")).hasSize(2);

    rig.tell(
        wire,
        "{'type':'error','code':'forbidden','message':'','retryable':false,'channel':'rooms:hall'}");
    rig.tell(
        wire,
        "{'type':'error','code':'rate_limited','message':'','retryable':true,"
            + "'channel':'rooms:lobby'}");
    assertThat(told).contains(new Unsubscribed(HALL, "forbidden", false));
    rig.time.pass(10_000);
    assertThat(rig.frame(wire, "subscribe").path("channel").asText()).isEqualTo(LOBBY);
  }

  @Test
  @DisplayName("R-4.7 watches that the server refuses for now are asked for again")
  void watchesRefusedForNow() {
    Rig rig = new Rig(store);
    rig.client.connect();
    ScriptWire wire = rig.online();
    rig.client.watch(List.of("ann", "eve"));
    rig.time.settle();
    rig.frame(wire, "watch");
    rig.tell(
        wire,
        "{'type':'error','code':'rate_limited','message':'','retryable':true,'retryAfterMs':2000,"
            + "'users':['ann','eve']}");
    rig.time.pass(1_999);
    assertThat(wire.sent).isEmpty();
    rig.time.pass(1_100);
    assertThat(rig.frame(wire, "watch").path("users")).hasSize(2);
  }
}
