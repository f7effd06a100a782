package dev.holdfast.client.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** Keeps nothing beyond the process. Safe for several threads. */
public final class MemoryStore implements Store {
  private final ConcurrentSkipListMap<String, String> values = new ConcurrentSkipListMap<>();

  @Override
  public CompletionStage<@Nullable String> get(String key) {
    return CompletableFuture.completedFuture(values.get(key));
  }

  @Override
  public CompletionStage<Void> set(Map<String, String> all) {
    values.putAll(all);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Void> delete(Collection<String> keys) {
    keys.forEach(values::remove);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<List<String>> keys(String prefix) {
    return CompletableFuture.completedFuture(
        values.tailMap(prefix).keySet().stream().takeWhile(key -> key.startsWith(prefix)).toList());
  }
}
