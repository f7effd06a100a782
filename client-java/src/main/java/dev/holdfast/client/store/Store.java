package dev.holdfast.client.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Where a client keeps its cursor, its outbox and its positions: texts by key. All methods may be
 * called on any thread and must not block it; a client lets one that writes be through before it
 * calls the next. A failure is told by the stage, or thrown.
 */
public interface Store {
  /** The text of a key; null where there is none. */
  CompletionStage<@Nullable String> get(String key);

  /** Writes all of them or none. When the stage is through they survive the end of the process. */
  CompletionStage<Void> set(Map<String, String> values);

  /** Removes; keys that are not there do not matter. */
  CompletionStage<Void> delete(Collection<String> keys);

  /** The keys that begin so, sorted. */
  CompletionStage<List<String>> keys(String prefix);
}
