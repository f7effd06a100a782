package dev.holdfast.record;

/**
 * What {@code step} reads beside state and event (D2). It is a record in every partition of the
 * log, so that every instance, now and in a replay, decides by the same numbers; an instance whose
 * code does not know {@code version} stops.
 *
 * @param version of the rules' code that assigns seqs; 1
 * @param partitions of {@code holdfast.events}, for life
 * @param maxBacklog most messages a resume replays; beyond: {@code gap}
 * @param resumeTtlMs oldest missed message a resume replays; beyond: {@code expired}
 * @param mailboxMessages messages kept a user
 * @param mailboxAgeMs how long a message is kept
 * @param window most unacknowledged messages under way to one client (D10)
 * @param windowBytes most bytes of them; one message always fits
 * @param windowStart the window of a new connection; it doubles with acknowledgements
 * @param dedupWindowMs how long a repeat is known (R-5.3: at least 10 min)
 * @param clientsPerUser cursors kept a user; the oldest goes first (D12)
 * @param leaveDelayMs from a disconnect to {@code offline} (D15)
 * @param rosterIntervalMs between an edge's rosters (D10)
 * @param mailboxIdleMs an empty mailbox without clients is forgotten after this (D12)
 */
public record Rules(
    int version,
    int partitions,
    int maxBacklog,
    long resumeTtlMs,
    int mailboxMessages,
    long mailboxAgeMs,
    int window,
    int windowBytes,
    int windowStart,
    long dedupWindowMs,
    int clientsPerUser,
    long leaveDelayMs,
    long rosterIntervalMs,
    long mailboxIdleMs) {

  /** The version that this code implements. */
  public static final int VERSION = 1;

  /** How often edges send rosters, in milliseconds (D10). */
  public static final long EDGE_ROSTER_MS = 5_000;

  /** Largest {@code windowBytes}: half of an edge's queue for a connection (D10). */
  public static final int MAX_WINDOW_BYTES = 1024 * 1024;

  private static final long HOUR = 3_600_000L;

  public Rules {
    positive("version", version);
    positive("partitions", partitions);
    positive("maxBacklog", maxBacklog);
    positive("resumeTtlMs", resumeTtlMs);
    positive("mailboxMessages", mailboxMessages);
    positive("mailboxAgeMs", mailboxAgeMs);
    positive("window", window);
    positive("windowBytes", windowBytes);
    positive("windowStart", windowStart);
    positive("dedupWindowMs", dedupWindowMs);
    positive("clientsPerUser", clientsPerUser);
    positive("leaveDelayMs", leaveDelayMs);
    positive("rosterIntervalMs", rosterIntervalMs);
    positive("mailboxIdleMs", mailboxIdleMs);
    if (rosterIntervalMs < EDGE_ROSTER_MS) {
      throw new IllegalArgumentException(
          "rosterIntervalMs must not be below "
              + EDGE_ROSTER_MS
              + ", which is how often edges send one, not "
              + rosterIntervalMs);
    }
    if (windowBytes > MAX_WINDOW_BYTES) {
      throw new IllegalArgumentException(
          "windowBytes must not be above "
              + MAX_WINDOW_BYTES
              + ", half of what an edge queues for a connection, not "
              + windowBytes);
    }
    if (windowStart > window) {
      throw new IllegalArgumentException(
          "windowStart (" + windowStart + ") must not be above window (" + window + ")");
    }
    if (maxBacklog > mailboxMessages) {
      throw new IllegalArgumentException(
          "maxBacklog ("
              + maxBacklog
              + ") must not be above mailboxMessages ("
              + mailboxMessages
              + ")");
    }
    if (clientsPerUser > 64) {
      throw new IllegalArgumentException("clientsPerUser must not be above 64");
    }
  }

  /** The values that {@code topics init} writes, and that hold where no rules record came yet. */
  public static Rules defaults(int partitions) {
    return new Rules(
        VERSION,
        partitions,
        500,
        24 * HOUR,
        10_000,
        7 * 24 * HOUR,
        256,
        256 * 1024,
        64,
        24 * HOUR,
        32,
        10_000,
        5_000,
        30 * 24 * HOUR);
  }

  private static void positive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be above 0, not " + value);
    }
  }
}
