package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.store.MemoryStore;
import dev.holdfast.client.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A store of the application's that does not answer. */
class HangingStoreTest {
  /** Answers as long as it is told to. */
  private static final class Stuck implements Store {
    private final MemoryStore store = new MemoryStore();
    private final List<Runnable> late = new ArrayList<>();
    private boolean answers = true;
    private int calls;

    private <T extends @Nullable Object> CompletionStage<T> call(CompletionStage<T> real) {
      calls++;
      if (answers) {
        return real;
      }
      CompletableFuture<T> never = new CompletableFuture<>();
      late.add(() -> real.whenComplete((value, error) -> never.complete(value)));
      return never;
    }

    @Override
    @SuppressWarnings("NullAway")
    public CompletionStage<@Nullable String> get(String key) {
      return call(store.get(key));
    }

    @Override
    public CompletionStage<Void> set(Map<String, String> values) {
      return call(store.set(values));
    }

    @Override
    public CompletionStage<Void> delete(Collection<String> keys) {
      return call(store.delete(keys));
    }

    @Override
    public CompletionStage<List<String>> keys(String prefix) {
      return call(store.keys(prefix));
    }
  }

  private final Stuck store = new Stuck();
  private final Rig rig = new Rig(store);

  @Test
  @DisplayName(
      "R-5.2 one that never answers keeps no client from connecting, and none from closing")
  void never() {
    store.answers = false;
    rig.client.connect();
    CompletableFuture<Sent> sent = rig.client.send(To.user("alice"), 1);
    rig.untilAttempt(60_000); // three tries to read
    ScriptWire wire = rig.online();
    rig.time.pass(6_000);
    String id = rig.frame(wire, "send").path("clientMsgId").asText();
    rig.tell(wire, "{'type':'sent','clientMsgId':'" + id + "','msgId':'m'}");
    assertThat(sent).isCompleted();
    assertThat(rig.telemetry).contains("storage_failed read");
    CompletableFuture<Void> closed = rig.client.disconnect().toCompletableFuture();
    rig.time.pass(6_000);
    assertThat(closed).isDone();
    assertThat(store.calls).isEqualTo(1); // it may still be at work: nothing else is asked of it
  }

  @Test
  @DisplayName("R-5.2 one that stops to answer is asked no more until it does, and then has it all")
  void stops() {
    rig.client.connect();
    ScriptWire wire = rig.online();
    rig.time.pass(100);
    store.answers = false;
    int before = store.calls;
    CompletableFuture<Sent> sent = rig.client.send(To.user("alice"), 1);
    rig.time.pass(4_900);
    assertThat(wire.sent).doesNotContain("send");
    rig.time.pass(200);
    assertThat(rig.telemetry).contains("storage_failed write");
    rig.time.pass(20_000);
    assertThat(wire.sent).anyMatch(text -> text.contains("\"send\"")); // in memory only
    assertThat(store.calls).isEqualTo(before + 1);
    CompletableFuture<Void> closed = rig.client.disconnect().toCompletableFuture();
    rig.time.pass(6_000);
    assertThat(closed).isDone();
    assertThat(sent).isNotDone();

    store.answers = true;
    store.late.forEach(Runnable::run);
    rig.client.connect();
    rig.time.pass(1_000);
    List<String> keys = store.store.keys(Rig.ROWS).toCompletableFuture().join();
    assertThat(keys).anyMatch(key -> key.contains("/out/"));
  }

  @Test
  @DisplayName("R-1.13 a logout that cannot delete says so instead of waiting for ever")
  void logout() {
    rig.client.connect();
    rig.online();
    rig.time.pass(100);
    store.answers = false;
    CompletableFuture<Void> out = rig.client.logout().toCompletableFuture();
    rig.time.pass(11_000);
    assertThat(out).isCompletedExceptionally();
  }
}
