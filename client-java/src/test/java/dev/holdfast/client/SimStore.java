package dev.holdfast.client;

import dev.holdfast.client.store.Store;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A store that takes its time, and fails when it is told to, with or without having written. */
final class SimStore implements Store {
  private final FakeTime time;
  private final RandomGenerator random;
  private final TreeMap<String, String> values = new TreeMap<>();
  private boolean failing;
  private boolean everFailed;

  SimStore(FakeTime time, RandomGenerator random) {
    this.time = time;
    this.random = random;
  }

  void fail(boolean now) {
    failing = now;
    everFailed |= now;
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
    return done;
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
