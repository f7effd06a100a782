package dev.holdfast.testkit.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What anybody ever did with a seq, across all instances, zombies and replays: the first to name a
 * message for it binds all others.
 */
final class Ledger {
  /** One mailbox from its beginning to its end. */
  record Line(String user, String epoch) {}

  private record Place(long seq, long time) {}

  /** Payloads of who writes to the log itself, each once; only copies of the record come again. */
  private static final String BACKEND = "\"backend-";

  private final long dedupWindowMs;
  private final Map<Line, TreeMap<Long, String>> lines = new HashMap<>();
  private final Map<String, Map<String, Place>> places = new HashMap<>();
  private final Map<String, Long> newestFrom = new HashMap<>();
  private final Map<String, Set<String>> accepted = new LinkedHashMap<>();
  private final Map<String, String> once = new HashMap<>();
  private long stored;

  /**
   * @param dedupWindowMs the shortest that holds in the run
   */
  Ledger(long dedupWindowMs) {
    this.dedupWindowMs = dedupWindowMs;
  }

  /** An instance keeps, or emits, this message under this seq. */
  void names(Line line, long seq, String message, String where) {
    String known = lines.computeIfAbsent(line, l -> new TreeMap<>()).putIfAbsent(seq, message);
    if (known != null && !known.equals(message)) {
      throw new Violation(
          where + " names " + message + " for " + line + " seq " + seq + ", which is " + known);
    }
  }

  /** An instance appended the message to a mailbox. */
  void stored(Line line, long seq, String message, String payload, long time) {
    names(line, seq, message + ' ' + payload, "a row");
    String home = line.user() + ' ' + line.epoch();
    if (payload.startsWith(BACKEND)) {
      String here = home + " seq " + seq;
      String there = once.putIfAbsent(payload, here);
      if (there != null && !there.equals(here)) {
        throw new Violation(payload + " was written once, and is " + there + " and " + here);
      }
    }
    Place before = places.computeIfAbsent(message, m -> new HashMap<>()).get(home);
    if (before == null) {
      stored++;
      places.get(message).put(home, new Place(seq, time));
      inOrder(home, payload);
    } else if (before.seq() < seq && time - before.time() <= dedupWindowMs) {
      throw new Violation(
          message + " of " + line + " has seq " + before.seq() + " and again seq " + seq);
    } else if (before.seq() < seq) {
      places.get(message).put(home, new Place(seq, time));
    }
  }

  /** One sender's messages lie in a mailbox in the order of sending. */
  private void inOrder(String home, String payload) {
    int hash = payload.indexOf('#');
    if (hash < 0) {
      return;
    }
    String key = home + ' ' + payload.substring(0, hash);
    long number = Long.parseLong(payload, hash + 1, payload.length() - 1, 10);
    Long newest = newestFrom.put(key, number);
    if (newest != null && newest > number) {
      throw new Violation(payload + " was overtaken by " + newest + " in the mailbox " + home);
    }
  }

  /** The sender was told that this is durable. */
  void accepted(String payload, Iterable<String> users) {
    Set<String> to = accepted.computeIfAbsent(payload, p -> new TreeSet<>());
    users.forEach(to::add);
  }

  /** Every accepted message must have come to its addressees. */
  void checkNothingLost() {
    Map<String, Set<String>> found = new HashMap<>();
    lines.forEach(
        (line, messages) ->
            messages
                .values()
                .forEach(
                    m ->
                        found
                            .computeIfAbsent(m.substring(m.indexOf(' ') + 1), p -> new TreeSet<>())
                            .add(line.user())));
    accepted.forEach(
        (payload, users) -> {
          if (!found.getOrDefault(payload, Set.of()).containsAll(users)) {
            throw new Violation("accepted but lost: " + payload + " for " + users);
          }
        });
  }

  /** The message under that seq, or null. */
  @Nullable String message(String user, String epoch, long seq) {
    TreeMap<Long, String> line = lines.get(new Line(user, epoch));
    return line == null ? null : line.get(seq);
  }

  /** The user's mailboxes, one after the other. */
  List<String> epochs(String user) {
    List<String> epochs = new ArrayList<>();
    for (Line line : lines.keySet()) {
      if (line.user().equals(user)) {
        epochs.add(line.epoch());
      }
    }
    return epochs;
  }

  /** Messages stored, each counted once. */
  long stored() {
    return stored;
  }
}
