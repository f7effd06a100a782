package dev.holdfast.edge.presence;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One partition of {@code holdfast.presence} as far as it was read, who watches its users, and who
 * waits for it. On the presence thread.
 *
 * <pre>
 *          ends known              end reached            nobody asks for some minutes
 *  ASKED ────────────> READING ──────────────────> LIVE ──────────────────────────────> gone
 *    ^                    │ position lost, other topic │
 *    └────────────────────┴────────────────────────────┘
 *                         │ no memory                  │
 *                         └────────> REFUSED <─────────┘   (until somebody asks later)
 * </pre>
 *
 * An end is the committed end as Kafka told it when it was asked; it is asked again every few
 * seconds, and what is known counts only while an end asked lately was reached. So an edge that
 * cannot reach the partition's leader says that it does not know, not what it knew.
 */
final class PresencePartition {
  /** What is known counts for so long after an end was asked for that was then reached. */
  static final long FRESH_MS = 10_000;

  enum Stage {
    ASKED,
    READING,
    LIVE,
    REFUSED
  }

  private static final long NEVER = Long.MIN_VALUE / 2;

  private final int number;
  private final Map<String, PresenceState> users = new HashMap<>();
  private final Map<String, WatchList> watched = new HashMap<>();
  private final Queue<PresenceQuestion> waiting = new ArrayDeque<>();
  private Stage stage = Stage.ASKED;
  private long bytes;
  private long position;
  private long target = -1;
  private long targetAskedMs;
  private long freshMs = NEVER;

  // The desk's own notes.
  boolean asking;
  long askedMs = NEVER;
  long neededMs;
  long refusedUntilMs;

  PresencePartition(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  Stage stage() {
    return stage;
  }

  long bytes() {
    return bytes;
  }

  /** Whether what is known is what Kafka has, or had some seconds ago. */
  boolean ready(long nowMs) {
    return stage == Stage.LIVE && nowMs - freshMs <= FRESH_MS;
  }

  /** Whether somebody watches one of its users or waits for it. */
  boolean needed() {
    return !watched.isEmpty() || !waiting.isEmpty();
  }

  /** Whether an end is yet to be reached. */
  boolean behind() {
    return target >= 0;
  }

  /** What is known of the user; not to be told unless {@link #ready}. */
  PresenceState state(String user) {
    PresenceState known = users.get(user);
    return known == null ? PresenceState.none(user) : known;
  }

  // ---------------------------------------------------------------- who asks

  void add(Watch watch) {
    if (!watch.linked) {
      watched.computeIfAbsent(watch.user(), user -> new WatchList()).add(watch);
    }
  }

  /** Ends a watch; returns whether it had not ended before. */
  boolean remove(Watch watch) {
    if (!watch.linked) {
      return false;
    }
    WatchList list = watched.get(watch.user());
    if (list != null) {
      list.remove(watch);
      if (list.first() == null) {
        watched.remove(watch.user());
      }
    }
    return true;
  }

  void await(PresenceQuestion question) {
    waiting.add(question);
  }

  /** Takes out whoever waits for too long, or all. */
  List<PresenceQuestion> overdue(long nowMs, boolean all) {
    List<PresenceQuestion> found = new ArrayList<>();
    PresenceQuestion next = waiting.peek();
    while (next != null && (all || next.due(nowMs))) {
      waiting.remove();
      found.add(next);
      next = waiting.peek();
    }
    return found;
  }

  /** Everybody who watches here; the list is the caller's. */
  List<Watch> watches() {
    List<Watch> all = new ArrayList<>();
    for (WatchList list : watched.values()) {
      for (@Nullable Watch watch = list.first(); watch != null; watch = watch.after) {
        all.add(watch);
      }
    }
    return all;
  }

  // ---------------------------------------------------------------- what Kafka says

  /** Begins to read from {@code first} on. */
  void read(long first, long end, long endAskedMs) {
    stage = Stage.READING;
    position = first;
    target = end;
    targetAskedMs = endAskedMs;
  }

  /** A later end; one that is yet to be reached comes first, so that a busy topic gets fresh. */
  void end(long end, long endAskedMs) {
    if (target < 0) {
      target = end;
      targetAskedMs = endAskedMs;
    }
  }

  /** Whether the log ends before what was read of it: it is not the log that was read. */
  boolean truncatedAt(long end) {
    return isRead() && end < position;
  }

  /** Whether its records are being read. */
  boolean isRead() {
    return stage == Stage.READING || stage == Stage.LIVE;
  }

  /** Nothing is read and nothing counts until an end is known again. */
  void stop() {
    stage = Stage.ASKED;
    target = -1;
    freshMs = NEVER;
  }

  /** The ends must be asked anew, and now. */
  void askAgain() {
    stop();
    askedMs = NEVER;
  }

  /** The same for another topic of the name; what was told to watchers gives way to anything. */
  void forget() {
    List<PresenceState> told = new ArrayList<>();
    for (String user : watched.keySet()) {
      PresenceState known = users.get(user);
      if (known != null) {
        told.add(known.outdated());
      }
    }
    users.clear();
    bytes = 0;
    told.forEach(this::put);
    askAgain();
  }

  /** There is no room for this partition. */
  void refuse(long untilMs) {
    users.clear();
    bytes = 0;
    askAgain();
    stage = Stage.REFUSED;
    refusedUntilMs = untilMs;
  }

  /** It may be tried again. */
  void retry() {
    stage = Stage.ASKED;
  }

  /**
   * A record, or null for a deleted one. Watchers hear of it unless the partition is still being
   * read.
   *
   * @return false when it is older than what is known
   */
  boolean record(String user, @Nullable PresenceState state) {
    PresenceState known = users.get(user);
    if (state == null) {
      users.remove(user);
      bytes -= known == null ? 0 : known.bytes();
    } else if (known == null || state.newerThan(known)) {
      put(state);
    } else {
      return false;
    }
    if (stage == Stage.LIVE) {
      tell(user);
    }
    return true;
  }

  private void put(PresenceState state) {
    PresenceState before = users.put(state.user(), state);
    bytes += state.bytes() - (before == null ? 0 : before.bytes());
  }

  /** Whether anybody watches the user. */
  boolean watches(String user) {
    return watched.containsKey(user);
  }

  private void tell(String user) {
    WatchList list = watched.get(user);
    if (list != null) {
      list.tell(state(user));
    }
  }

  /** What lies before {@code next} was read. Whoever waited may get an answer by it. */
  void readUpTo(long next, long nowMs) {
    position = next;
    if (target < 0 || next < target) {
      return;
    }
    freshMs = targetAskedMs;
    target = -1;
    if (stage == Stage.READING) {
      stage = Stage.LIVE;
      List.copyOf(watched.keySet()).forEach(this::tell);
    }
    while (ready(nowMs) && !waiting.isEmpty()) {
      PresenceQuestion question = waiting.remove();
      question.answer(state(question.user()));
    }
  }
}
