package dev.holdfast.testkit.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one application saw, and what it was told it had not. */
final class History {
  private final String user;
  private final String clientId;
  private final Map<String, TreeMap<Long, String>> seen = new HashMap<>();
  private final Map<String, TreeMap<Long, Long>> gaps = new HashMap<>();
  private @Nullable String epoch;
  private long cursor;

  /**
   * @param fromTheBeginning whether it wants what came before it
   */
  History(String user, String clientId, boolean fromTheBeginning) {
    this.user = user;
    this.clientId = clientId;
    this.cursor = fromTheBeginning ? 0 : -1;
  }

  /** What it has, or -1 when it never had anything. */
  long cursor() {
    return cursor;
  }

  @Nullable String epoch() {
    return epoch;
  }

  void welcome(ServerFrame welcome) {
    String now = welcome.text("epoch");
    boolean resumed = welcome.text("resumed").equals("true");
    if (resumed && epoch != null && !epoch.equals(now)) {
      throw new Violation(clientId + " of " + user + " resumed in another epoch");
    }
    if (!resumed) {
      long from = now.equals(epoch) ? Math.max(cursor, 0) : 0;
      long to = welcome.number("seq");
      gaps.computeIfAbsent(now, e -> new TreeMap<>()).merge(from, to, Math::max);
      if (now.equals(epoch) && to < cursor) {
        throw new Violation(clientId + " of " + user + " was ahead of its own epoch");
      }
      cursor = to;
    }
    epoch = now;
  }

  void message(long seq, String message) {
    if (epoch == null || seq != cursor + 1) {
      throw new Violation(clientId + " of " + user + " saw " + seq + " after " + cursor);
    }
    cursor = seq;
    String before = seen.computeIfAbsent(epoch, e -> new TreeMap<>()).put(seq, message);
    if (before != null) {
      throw new Violation(clientId + " of " + user + " saw seq " + seq + " twice");
    }
  }

  /** Everything up to the cursor is the mailbox's, and was seen or is known to be missing. */
  void check(Ledger ledger) {
    for (Map.Entry<String, TreeMap<Long, String>> each : seen.entrySet()) {
      each.getValue()
          .forEach(
              (seq, message) -> {
                String real = ledger.message(user, each.getKey(), seq);
                if (!message.equals(real)) {
                  throw new Violation(user + " seq " + seq + ": " + message + ", not " + real);
                }
              });
    }
    if (epoch == null) {
      return;
    }
    Map<Long, String> line = seen.getOrDefault(epoch, new TreeMap<>());
    for (long seq = 1; seq <= cursor; seq++) {
      if (!line.containsKey(seq) && !told(seq)) {
        throw new Violation(clientId + " of " + user + " silently misses seq " + seq);
      }
    }
  }

  private boolean told(long seq) {
    Map.Entry<Long, Long> gap = gaps.getOrDefault(epoch, new TreeMap<>()).lowerEntry(seq);
    return gap != null && gap.getValue() >= seq;
  }
}
