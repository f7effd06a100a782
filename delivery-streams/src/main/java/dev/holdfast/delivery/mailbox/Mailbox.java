package dev.holdfast.delivery.mailbox;

import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.RowReader;
import dev.holdfast.delivery.state.RowWriter;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.record.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A user's line of messages, {@code seq} from 1 without gaps, and the user's clients (D5). Messages
 * {@code first..latest} are kept. The row holds the clients too: every event of a user reads and
 * writes one row beside the message's own.
 */
public final class Mailbox {
  /**
   * Milliseconds of the log's time after which it is told again that somebody is online: well
   * within those that {@code holdfast.presence} keeps a record.
   */
  static final long TELL_AGAIN_MS = Duration.ofDays(10).toMillis();

  final String user;
  final String epoch;
  long time;
  long applied;
  long latest;
  long first = 1;

  /** Log time of message {@code first}; 0 when none is kept. */
  long firstTime;

  /** Lowest seq that still has a row, be it a stub. */
  long rowTail = 1;

  /** Cost of all messages ever appended. */
  long bytes;

  /** Log time of the disconnect that left nobody connected; 0 otherwise. */
  long leavingSince;

  boolean online;

  /** Log time of the last change between online and offline. */
  long statusSince;

  long lastSeen;

  /** Log time of the newest presence record; 0 unless online. */
  long toldAt;

  final List<Client> clients = new ArrayList<>();

  private Mailbox(String user, String epoch) {
    this.user = user;
    this.epoch = epoch;
  }

  /** The user's mailbox, or null when there is none. */
  public static @Nullable Mailbox load(Rows rows, String user) {
    byte @Nullable [] row = rows.get(Keys.mailbox(user));
    if (row == null) {
      return null;
    }
    RowReader in = new RowReader(row);
    Mailbox box = new Mailbox(user, in.text());
    box.time = in.number();
    box.applied = in.number();
    box.latest = in.number();
    box.first = in.number();
    box.firstTime = in.number();
    box.rowTail = in.number();
    box.bytes = in.number();
    box.leavingSince = in.number();
    box.online = in.flag();
    box.statusSince = in.number();
    box.lastSeen = in.number();
    for (int n = in.integer(); n > 0; n--) {
      box.clients.add(Client.read(in));
    }
    if (box.online) {
      box.toldAt = in.more() ? in.number() : box.statusSince;
    }
    return box;
  }

  /** The offset of the last event that changed the mailbox in a row under {@link Keys#mailbox}. */
  public static long applied(byte[] row) {
    RowReader in = new RowReader(row);
    in.text(); // its epoch
    in.number(); // its time
    return in.number();
  }

  /** The user's mailbox, made by the event at {@code at} when there is none. */
  public static Mailbox loadOrCreate(Rows rows, String user, LogPosition at) {
    Mailbox box = load(rows, user);
    if (box == null) {
      // Append time and offset: no two mailboxes of a user ever share an epoch.
      String epoch =
          Long.toString(at.timestamp(), Character.MAX_RADIX)
              + '-'
              + Long.toString(at.offset(), Character.MAX_RADIX);
      box = new Mailbox(user, epoch);
      box.applied = -1;
      box.statusSince = at.timestamp();
    }
    return box;
  }

  /** Keeps what the event at {@code at} has changed. */
  public void save(Rows rows, LogPosition at) {
    applied = at.offset();
    RowWriter out =
        new RowWriter()
            .text(epoch)
            .number(time)
            .number(applied)
            .number(latest)
            .number(first)
            .number(firstTime)
            .number(rowTail)
            .number(bytes)
            .number(leavingSince)
            .flag(online)
            .number(statusSince)
            .number(lastSeen)
            .number(clients.size());
    for (Client c : clients) {
      c.write(out);
    }
    if (online) {
      out.number(toldAt);
    }
    rows.put(Keys.mailbox(user), out.toBytes());
  }

  /** Moves the user's time on: the greater of its last time and the event's (D2). */
  public long now(LogPosition at) {
    time = Math.max(time, at.timestamp());
    return time;
  }

  /** Whether the event at {@code at} was applied before. */
  public boolean hasApplied(LogPosition at) {
    return at.offset() <= applied;
  }

  /** The client of that name, or null. */
  public @Nullable Client client(String clientId) {
    for (Client c : clients) {
      if (c.clientId.equals(clientId)) {
        return c;
      }
    }
    return null;
  }

  /** Whether any client has a connection. */
  public boolean anyLive() {
    for (Client c : clients) {
      if (c.live()) {
        return true;
      }
    }
    return false;
  }

  public String user() {
    return user;
  }

  public String epoch() {
    return epoch;
  }

  /** Newest assigned seq; 0 when none. */
  public long latest() {
    return latest;
  }

  /** Oldest seq kept; {@code latest + 1} when none. */
  public long first() {
    return first;
  }

  public boolean online() {
    return online;
  }

  public long statusSince() {
    return statusSince;
  }

  public long lastSeen() {
    return lastSeen;
  }

  public long leavingSince() {
    return leavingSince;
  }

  /** The clients, oldest first. */
  public List<Client> clients() {
    return Collections.unmodifiableList(clients);
  }

  /** Calls the user online or offline from {@code now} on. */
  public void status(boolean next, long now) {
    if (online != next) {
      online = next;
      statusSince = now;
    }
  }

  /** Notes that the status was told at {@code time}. */
  public void told(long time) {
    toldAt = time;
  }

  /** Whether the record that says that the user is online is so old that it must be told again. */
  public boolean toldLongAgo(long now) {
    return online && now - toldAt >= TELL_AGAIN_MS;
  }

  /** Notes when the last connection went, or 0 when one came. */
  public void leaving(long now) {
    leavingSince = now;
  }

  /** Whether nothing is kept and nobody connected, and that for longer than {@code idleMs}. */
  public boolean idle(long now, long idleMs, long lastTime) {
    return first > latest && rowTail >= first && !anyLive() && now - lastTime > idleMs;
  }

  /** Log time of the last change. */
  public long time() {
    return time;
  }

  /** Whether an {@code expire} would find something to drop or to tell again. */
  public boolean overdue(long now, Rules rules) {
    return (first <= latest && now - firstTime > rules.mailboxAgeMs())
        || (rowTail < first && now - time > rules.dedupWindowMs())
        || idle(now, rules.mailboxIdleMs(), time)
        || toldLongAgo(now);
  }
}
