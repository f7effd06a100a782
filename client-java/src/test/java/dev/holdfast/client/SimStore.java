package dev.holdfast.client;

import dev.holdfast.client.store.Store;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A store that takes its time, and fails when it is told to, with or without having written; or
 * does not answer until it is told to.
 */
final class SimStore implements Store {
  private final FakeTime time;
  private final RandomGenerator random;
  private final TreeMap<String, String> values = new TreeMap<>();
  private boolean failing;
  private boolean everFailed;
  private boolean hanging;
  private final List<Runnable> hung = new ArrayList<>();

  SimStore(FakeTime time, RandomGenerator random) {
    this.time = time;
    this.random = random;
  }

  void fail(boolean now) {
    failing = now;
    everFailed |= now;
  }

  /** No call is answered any more, or all that were asked meanwhile are. */
  void hang(boolean now) {
    hanging = now;
    everFailed |= now;
    if (!now) {
      List.copyOf(hung).forEach(Runnable::run);
      hung.clear();
    }
  }

  /** The process that asked is gone, and what it asked. */
  void crash() {
    hung.clear();
  }

  /** At any time so far. */
  boolean hasFailed() {
    return everFailed;
  }

  @Nullable String session() {
    return values.entrySet().stream()
        .filter(e -> e.getKey().endsWith("/session"))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  private <T extends @Nullable Object> CompletionStage<T> later(boolean writes, Supplier<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    if (hanging) {
      hung.add(() -> answer(writes, work, done));
    } else {
      answer(writes, work, done);
    }
    return done;
  }

  private <T extends @Nullable Object> void answer(
      boolean writes, Supplier<T> work, CompletableFuture<T> done) {
    time.later(
        random.nextInt(8),
        () -> {
          boolean fails = failing;
          boolean works = !fails || (writes && random.nextBoolean());
          T result = works ? work.get() : null;
          time.later(
              random.nextInt(3),
              () -> {
                if (fails) {
                  done.completeExceptionally(new IllegalStateException("the disk is full"));
                } else {
                  done.complete(result);
                }
              });
        });
  }

  @Override
  @SuppressWarnings("NullAway")
  public CompletionStage<@Nullable String> get(String key) {
    return later(false, () -> values.get(key));
  }

  @Override
  @SuppressWarnings("NullAway")
  public CompletionStage<Void> set(Map<String, String> all) {
    Map<String, String> copy = Map.copyOf(all);
    return later(
        true,
        () -> {
          values.putAll(copy);
          return null;
        });
  }

  @Override
  @SuppressWarnings("NullAway")
  public CompletionStage<Void> delete(Collection<String> keys) {
    List<String> copy = List.copyOf(keys);
    return later(
        true,
        () -> {
          copy.forEach(values::remove);
          return null;
        });
  }

  @Override
  public CompletionStage<List<String>> keys(String prefix) {
    return later(
        false, () -> values.keySet().stream().filter(key -> key.startsWith(prefix)).toList());
  }
}
