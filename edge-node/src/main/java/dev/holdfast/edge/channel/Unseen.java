package dev.holdfast.edge.channel;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Topics that cannot be looked at while others can, and when the log has to say so: when another
 * topic joins them, and otherwise once a minute, since that lasts until somebody acts. One thread.
 */
final class Unseen {
  /** Milliseconds between two lines about the same topics. */
  static final long AGAIN_MS = 60_000;

  /** Topics that one line names. */
  private static final int NAMED = 10;

  private Set<String> told = Set.of();
  private long againAtMs;

  /**
   * The outcome of a look at all topics.
   *
   * @param failed why a topic cannot be looked at, by name
   * @param nowMs monotonic milliseconds
   * @return a line for the log; null when there is nothing to say now
   */
  @Nullable String line(Map<String, String> failed, long nowMs) {
    boolean known = told.containsAll(failed.keySet());
    if (failed.isEmpty() || (known && nowMs < againAtMs)) {
      // Who comes back and goes again is no news within the minute.
      return null;
    }
    told = Set.copyOf(failed.keySet());
    againAtMs = nowMs + AGAIN_MS;
    String which =
        failed.entrySet().stream()
            .limit(NAMED)
            .map(e -> e.getKey() + " (" + e.getValue() + ")")
            .collect(Collectors.joining(", "));
    return "cannot look at topic "
        + which
        + (failed.size() > NAMED ? " and " + (failed.size() - NAMED) + " more" : "")
        + ": when it is made anew or gets more partitions this edge does not notice, and its"
        + " subscribers miss what lies elsewhere then. Give this edge Describe and Read on it, or"
        + " take its namespace away";
  }
}
