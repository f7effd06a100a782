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

  @Test
  @DisplayName("R-1.10 a token that does not come in time is asked for again; a late one is none")
  void neverComes() {
    Rig rig =
        new Rig(
            new MemoryStore(),
            builder ->
                builder
                    .user("bob")
                    .token(
                        () -> {
                          CompletableFuture<String> answer = new CompletableFuture<>();
                          asked.add(answer);
                          return answer;
                        }));
    rig.client.connect();
    rig.time.settle();
    asked.get(0).complete("first");
    ScriptWire wire = rig.online();
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
    List<String> renewals = wire.sent.stream().filter(text -> text.contains("\"auth\"")).toList();
    assertThat(renewals).hasSize(1).first().asString().contains("second");
    rig.time.pass(20_000);
    assertThat(asked).hasSize(3);
  }
}
