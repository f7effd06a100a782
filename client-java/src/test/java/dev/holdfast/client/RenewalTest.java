package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RenewalTest {
  private final List<CompletableFuture<String>> asked = new ArrayList<>();
  private final Rig rig =
      new Rig(new MemoryStore(), builder -> builder.user("bob").token(this::answer));

  @Test
  @DisplayName("R-1.10 a token that does not come in time is asked for again; a late one is none")
  void neverComes() {
    ScriptWire wire = online();
    rig.tell(wire, "{'type':'error','code':'token_expiring','message':'m','retryable':true}");
    assertThat(asked).hasSize(2);
    rig.time.pass(12_900); // 8 s for the answer, then 5 s
    assertThat(asked).hasSize(2);
    assertThat(rig.telemetry).contains("refused token_failed");
    rig.time.pass(200);
    assertThat(asked).hasSize(3);
    asked.get(1).complete("late");
    rig.time.settle();
    asked.get(2).complete("second");
    rig.time.settle();
    assertThat(renewals(wire)).singleElement().asString().contains("second");
    rig.time.pass(20_000);
    assertThat(asked).hasSize(3);
  }

  @Test
  @DisplayName("R-1.10 a renewal that the server cannot check now comes again, not before it asked")
  void keysUnavailable() {
    ScriptWire wire = online();
    rig.tell(wire, "{'type':'error','code':'token_expiring','message':'m','retryable':false}");
    asked.get(1).complete("second");
    rig.time.settle();
    String unavailable = "{'type':'error','code':'keys_unavailable','message':'m','retryable':true";
    rig.tell(wire, unavailable + ",'retryAfterMs':4000}");
    rig.time.pass(3_999);
    assertThat(asked).hasSize(2);
    rig.time.pass(1_001);
    assertThat(asked).hasSize(3);
    asked.get(2).complete("third");
    rig.time.settle();
    rig.tell(wire, unavailable + "}");
    rig.time.pass(4_999);
    assertThat(asked).hasSize(3);
    rig.time.pass(1_001);
    assertThat(asked).hasSize(4);
    asked.get(3).complete("fourth");
    rig.time.settle();
    assertThat(renewals(wire))
        .satisfiesExactly(
            text -> assertThat(text).contains("second"),
            text -> assertThat(text).contains("third"),
            text -> assertThat(text).contains("fourth"));
    rig.tell(wire, unavailable + ",'retryAfterMs':4000}");
    rig.client.disconnect();
    rig.time.pass(60_000);
    assertThat(asked).hasSize(4);
  }

  /** Connected with the first token. */
  private ScriptWire online() {
    rig.client.connect();
    rig.time.settle();
    asked.get(0).complete("first");
    return rig.online();
  }

  private CompletableFuture<String> answer() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.add(answer);
    return answer;
  }

  private static List<String> renewals(ScriptWire wire) {
    return wire.sent.stream().filter(text -> text.contains("\"auth\"")).toList();
  }
}
