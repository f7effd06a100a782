package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.store.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A broker has lost the end of a mailbox while the client had more of it than its cursor says. */
class LostEndTest {
  private final MemoryStore store = new MemoryStore();
  private final Rig rig = new Rig(store);
  private final List<String> got = new ArrayList<>();

  @Test
  @DisplayName("R-4.4 other messages under the seqs of those that wait are handed over as well")
  void whileTheyWait() {
    rig.client.connect();
    ScriptWire first = rig.online();
    rig.tell(first, message(1, "m1"));
    rig.tell(first, message(2, "m2"));
    rig.tell(first, message(3, "m3"));
    first.listener.ended(Ended.broken("cut"));
    rig.untilAttempt(5_000);
    ScriptWire second = rig.open();
    rig.frame(second, "hello");
    // the server had 1 left, and then got another 2
    rig.tell(
        second,
        "{'type':'welcome','resumed':true,'epoch':'e','seq':2,'ackSeq':0,'connId':'c',"
            + "'heartbeat':{'intervalMs':25000,'timeoutMs':8000}}");
    rig.tell(second, message(1, "m1"));
    rig.tell(second, message(2, "other"));
    rig.client.onMessage(message -> got.add(message.msgId()));
    rig.time.settle();
    rig.tell(second, message(3, "newest"));
    assertThat(got).containsExactlyInAnyOrder("m1", "m2", "m3", "other", "newest");
    rig.time.pass(2_000);
    String session = store.get(Rig.ROWS + "session").toCompletableFuture().join();
    assertThat(Json.read(String.valueOf(session)).path("lastSeq").asLong()).isEqualTo(3);
  }

  private static String message(long seq, String msgId) {
    return "{'type':'message','seq':%d,'msgId':'%s','from':'a','ts':1,'payload':1}"
        .formatted(seq, msgId);
  }
}
