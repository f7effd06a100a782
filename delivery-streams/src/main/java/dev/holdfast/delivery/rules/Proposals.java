package dev.holdfast.delivery.rules;

import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.presence.Lease;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What time alone would change, as events to be appended to the log (D3). Reads rows, changes none;
 * an instance's clock decides only when something is proposed, never what comes of it.
 */
public final class Proposals {
  /** Rosters an edge may miss before it is first suspected. */
  private static final int MISSED_ROSTERS = 2;

  /**
   * Milliseconds after which the leaving are looked at from the first one: where the log is read
   * late, one may have come behind those already passed.
   */
  private static final long LEAVES_FROM_FIRST_MS = 30_000;

  private static final int LEAVES_PER_TICK = 1_000;
  private static final int LEAVES_PER_WAKE = 100;
  private static final int USERS_PER_TICK = 100;
  private static final byte[] FIRST_USER = {'-'};
  private static final byte[] AFTER_USERS = {0x7F};

  /** An event to append; {@code user} is its key, or null for the partition's own. */
  public record Proposal(@Nullable String user, Event event) {}

  private final Rows rows;
  private final Map<String, Long> suspectedWhen = new HashMap<>();
  private long lastClock;
  private long leavingFrom;
  private long leavingFromFirstAt;
  private long leavingUpTo;
  private long nextLeave = Long.MAX_VALUE;
  private byte[] sweepFrom = FIRST_USER;

  public Proposals(Rows rows) {
    this.rows = rows;
  }

  /**
   * Everything that is due.
   *
   * @param clock this instance's milliseconds since 1970
   */
  public List<Proposal> due(long clock, Rules rules) {
    if (clock < lastClock) {
      // It was put right: what was kept by the time it told before means nothing now.
      suspectedWhen.clear();
      leavingFrom = 0;
      leavingUpTo = 0;
      leavingFromFirstAt = clock;
    }
    lastClock = clock;
    List<Proposal> found = new ArrayList<>();
    silentEdges(clock, rules, found);
    leaving(clock, rules, found);
    expired(clock, rules, found);
    return found;
  }

  private void silentEdges(long clock, Rules rules, List<Proposal> found) {
    long interval = rules.rosterIntervalMs();
    rows.scan(
        Keys.leases(),
        Keys.leasesEnd(),
        (key, value) -> {
          Lease lease = Lease.read(value);
          boolean due =
              lease.suspectedAt() == 0
                  ? clock - lease.rosterTime() > MISSED_ROSTERS * interval
                  : clock - lease.suspectedAt() >= interval;
          String edge = lease.edge().key();
          if (due && clock - suspectedWhen.getOrDefault(edge, 0L) >= interval / 2) {
            suspectedWhen.put(edge, clock);
            found.add(new Proposal(null, new Event.Suspect(edge, lease.rosterOffset())));
          }
          return true;
        });
    suspectedWhen.values().removeIf(when -> clock - when > 10 * interval);
  }

  /**
   * Who is due to leave and was not proposed yet, for who comes just when {@link #nextLeave} says.
   * What came of those that were is seen by {@link #due}.
   */
  public List<Proposal> leaves(long clock, Rules rules) {
    List<Proposal> found = new ArrayList<>();
    if (clock >= lastClock) {
      long unused = leavingFrom(leavingUpTo + 1, clock, rules, found, LEAVES_PER_WAKE);
    }
    return found;
  }

  /**
   * When the next one is due to leave, as far as the last look has seen.
   *
   * @return in the clock's milliseconds; {@link Long#MAX_VALUE} when nobody was seen
   */
  public long nextLeave() {
    return nextLeave;
  }

  /** Starts where the last one left off, so that the rows already deleted are not walked again. */
  private void leaving(long clock, Rules rules, List<Proposal> found) {
    if (clock - leavingFromFirstAt >= LEAVES_FROM_FIRST_MS) {
      leavingFromFirstAt = clock;
      leavingFrom = 0;
    }
    if (clock - rules.leaveDelayMs() > leavingFrom) {
      leavingFrom = leavingFrom(leavingFrom, clock, rules, found, LEAVES_PER_TICK);
    }
  }

  /** Returns the time of the first one that is still leaving, or until when nobody is. */
  private long leavingFrom(long from, long clock, Rules rules, List<Proposal> found, int most) {
    long until = clock - rules.leaveDelayMs();
    long[] oldest = {until};
    int limit = found.size() + most;
    nextLeave = Long.MAX_VALUE;
    rows.scan(
        Keys.leaving(from, ""),
        Keys.leavingSentinel(),
        (key, value) -> {
          long time = Keys.leavingTime(key);
          oldest[0] = Math.min(oldest[0], time);
          if (time > until || found.size() >= limit) {
            nextLeave = time + rules.leaveDelayMs();
            return false;
          }
          found.add(new Proposal(Keys.leavingUser(key), new Event.Leave()));
          leavingUpTo = Math.max(leavingUpTo, time);
          return true;
        });
    return oldest[0];
  }

  /** Looks at some users a tick, all of them in turn. */
  private void expired(long clock, Rules rules, List<Proposal> found) {
    for (int n = 0; n < USERS_PER_TICK; n++) {
      String user = nextUser();
      if (user == null) {
        sweepFrom = FIRST_USER;
        return;
      }
      sweepFrom = Keys.afterUser(user);
      Mailbox box = Mailbox.load(rows, user);
      if (box != null && box.overdue(clock, rules)) {
        found.add(new Proposal(user, new Event.Expire()));
      }
    }
  }

  private @Nullable String nextUser() {
    byte[][] first = new byte[1][];
    rows.scan(
        sweepFrom,
        AFTER_USERS,
        (key, value) -> {
          first[0] = key;
          return false;
        });
    byte[] key = first[0];
    if (key == null) {
      return null;
    }
    int end = 0;
    while (end < key.length && key[end] != 0) {
      end++;
    }
    return new String(key, 0, end, StandardCharsets.US_ASCII);
  }
}
