package dev.holdfast.client;

import dev.holdfast.client.store.Store;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the store, one batch at a time: what is written while one is under way goes together
 * into the next. What fails stays to be written and is tried with whatever comes next, or after a
 * while; meanwhile the client goes on in memory. A call that is not answered within 5 s has failed.
 * Used on the loop only.
 */
final class Keeper {
  private static final long FIRST_MS = 1_000;
  private static final long MOST_MS = 30_000;

  /** The outbox twice over. Beyond it the oldest deletions go: what they leave is sent again. */
  private static final int MOST_KEYS = 2_000;

  private final Core core;
  private final Store store;
  private final Alarm retry;
  private final Patience patience;
  private Map<String, Optional<String>> unsaved = new LinkedHashMap<>();
  private List<Consumer<Boolean>> waiting = new ArrayList<>();
  private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
  private boolean queued;
  private boolean memoryOnly;

  /** What was being written when all was wiped does not come back. */
  private long era;

  private long failingSince = -1;
  private long delayMs = FIRST_MS;

  Keeper(Core core) {
    this.core = core;
    this.store = core.env().store();
    this.retry = new Alarm(core.env());
    this.patience = new Patience(core.env());
  }

  void put(String key, String value) {
    write(key, Optional.of(value));
  }

  void delete(String key) {
    write(key, Optional.empty());
  }

  private void write(String key, Optional<String> value) {
    if (!memoryOnly) {
      unsaved.remove(key);
      unsaved.put(key, value);
      schedule();
    }
  }

  /** Tells when all that was written so far has been tried, and whether the store has it. */
  void whenTried(Consumer<Boolean> told) {
    waiting.add(told);
    schedule();
  }

  private void schedule() {
    if (!queued) {
      queued = true;
      CompletableFuture<?> unused = chain(this::writeAll);
    }
  }

  /** Runs after what was asked of the store before. */
  private <T> CompletableFuture<T> chain(Supplier<CompletionStage<T>> work) {
    CompletableFuture<T> next =
        last.handleAsync((done, error) -> null, core.env().loop())
            .thenCompose(before -> work.get());
    last = next;
    return next;
  }

  private CompletionStage<?> stored(Map<String, Optional<String>> batch) {
    Map<String, String> set = new LinkedHashMap<>();
    List<String> deleted = new ArrayList<>();
    batch.forEach(
        (key, value) -> value.ifPresentOrElse(v -> set.put(key, v), () -> deleted.add(key)));
    CompletionStage<?> done =
        set.isEmpty()
            ? CompletableFuture.completedFuture(null)
            : patience.await(() -> store.set(set));
    return deleted.isEmpty()
        ? done
        : done.thenCompose(ok -> patience.await(() -> store.delete(deleted)));
  }

  private CompletionStage<Void> writeAll() {
    queued = false;
    Map<String, Optional<String>> batch = unsaved;
    List<Consumer<Boolean>> told = waiting;
    long of = era;
    unsaved = new LinkedHashMap<>();
    waiting = new ArrayList<>();
    return stored(batch)
        .handleAsync(
            (done, error) -> written(of == era ? batch : new LinkedHashMap<>(), told, error),
            core.env().loop());
  }

  @SuppressWarnings("NullAway") // Void has no other value
  private Void written(
      Map<String, Optional<String>> batch,
      List<Consumer<Boolean>> told,
      @Nullable Throwable error) {
    if (error == null) {
      failingSince = -1;
      delayMs = FIRST_MS;
      retry.cancel();
    } else {
      failed(batch, error);
    }
    told.forEach(waiter -> waiter.accept(error == null));
    return null;
  }

  private void failed(Map<String, Optional<String>> batch, Throwable error) {
    batch.putAll(unsaved);
    unsaved = batch;
    for (Iterator<Optional<String>> all = unsaved.values().iterator();
        unsaved.size() > MOST_KEYS && all.hasNext(); ) {
      if (all.next().isEmpty()) {
        all.remove();
      }
    }
    if (failingSince < 0) {
      failingSince = core.env().tick();
    }
    core.telemetry("storage_failed").delay(delayMs).reason("write").error(error).tell();
    if (core.machine().wanted()) {
      retry.set(delayMs, this::tryAgain);
      delayMs = Math.min(MOST_MS, delayMs * 2);
    }
  }

  private void tryAgain() {
    schedule();
    whenTried(ok -> core.inbox().storeTried());
  }

  /** For how long the store has failed, in ms; -1 while it works. */
  long failingMs() {
    return failingSince < 0 ? -1 : core.env().tick() - failingSince;
  }

  void pause() {
    retry.cancel();
  }

  void resume() {
    if (!unsaved.isEmpty()) {
      schedule();
    }
  }

  /** The values under a prefix, sorted by key. */
  CompletableFuture<Map<String, String>> read(String prefix) {
    return chain(
        () ->
            patience
                .await(() -> store.keys(prefix))
                .thenCompose(keys -> patience.await(() -> readAll(keys))));
  }

  private CompletionStage<Map<String, String>> readAll(List<String> keys) {
    CompletionStage<Map<String, String>> all =
        CompletableFuture.completedFuture(new LinkedHashMap<>());
    for (String key : keys) {
      all =
          all.thenCombine(
              store.get(key),
              (map, value) -> {
                if (value != null) {
                  map.put(key, value);
                }
                return map;
              });
    }
    return all;
  }

  /** Deletes all under a prefix, also what was not written yet. */
  CompletableFuture<Void> wipe(String prefix) {
    era++;
    unsaved.clear();
    return chain(
        () ->
            patience
                .await(() -> store.keys(prefix))
                .thenCompose(keys -> patience.await(() -> store.delete(keys))));
  }

  /** The store cannot even be read: from now on nothing is asked of it. */
  void memoryOnly() {
    memoryOnly = true;
    era++;
    unsaved.clear();
  }
}
