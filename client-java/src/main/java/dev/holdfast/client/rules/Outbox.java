package dev.holdfast.client.rules;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What waits for its {@code sent}, in the order of sending, so that none overtakes another. Of one
 * message there is never more than one copy without an answer on a connection: the server could
 * take the first and refuse the second, and would wait for a third that never comes. Not safe for
 * several threads.
 */
public final class Outbox {
  /** So many are under way without an answer. */
  public static final int UNDER_WAY = 64;

  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private long nextNumber = 1;

  /** One message of the application. */
  public static final class Entry {
    private final long number;
    private final String clientMsgId;
    private final String to;
    private final String payload;
    private final long createdAt;
    private long firstSentAt;
    private long firstSentTick;
    private boolean saved;
    private boolean underWay;
    private boolean refused;
    private int times;

    Entry(long number, String clientMsgId, String to, String payload, long createdAt) {
      this.number = number;
      this.clientMsgId = clientMsgId;
      this.to = to;
      this.payload = payload;
      this.createdAt = createdAt;
    }

    /** Its place; grows from one to the next. */
    public long number() {
      return number;
    }

    public String clientMsgId() {
      return clientMsgId;
    }

    /** Whom to, as JSON: {@code {"user":…}}, {@code {"users":[…]}} or {@code {"channel":…}}. */
    public String to() {
      return to;
    }

    /** JSON, as it goes out. */
    public String payload() {
      return payload;
    }

    /** Milliseconds since 1970. */
    public long createdAt() {
      return createdAt;
    }

    /** Milliseconds since 1970; 0 when it was never sent. */
    public long firstSentAt() {
      return firstSentAt;
    }

    /** Notes the first sending; {@code tick} is the monotonic clock's, in ms. */
    public void attempted(long nowMs, long tick) {
      if (firstSentAt == 0) {
        firstSentAt = nowMs;
        firstSentTick = tick;
        saved = false;
      }
    }

    /** Whether the store has it as it is now, or has failed and it goes out all the same. */
    public boolean saved() {
      return saved;
    }

    public void saved(boolean now) {
      saved = now;
    }

    public boolean underWay() {
      return underWay;
    }

    /** The server refused it for now on this connection, and may wait for it. */
    public boolean refused() {
      return refused;
    }
  }

  public Entry add(String clientMsgId, String to, String payload, long createdAt) {
    return put(new Entry(nextNumber, clientMsgId, to, payload, createdAt));
  }

  /** One that the store had; they come in the order of their numbers. */
  public Entry restored(
      long number, String clientMsgId, String to, String payload, long createdAt, long sentAt) {
    Entry entry = new Entry(number, clientMsgId, to, payload, createdAt);
    entry.firstSentAt = sentAt;
    entry.firstSentTick = Long.MAX_VALUE;
    entry.saved = true;
    entry.times = sentAt == 0 ? 0 : 1;
    return put(entry);
  }

  /** Lower numbers are taken, by something that is not here. */
  public void notBefore(long number) {
    nextNumber = Math.max(nextNumber, number);
  }

  private Entry put(Entry entry) {
    nextNumber = Math.max(nextNumber, entry.number + 1);
    entries.put(entry.clientMsgId, entry);
    return entry;
  }

  public @Nullable Entry get(String clientMsgId) {
    return entries.get(clientMsgId);
  }

  public int size() {
    return entries.size();
  }

  public List<Entry> all() {
    return List.copyOf(entries.values());
  }

  public @Nullable Entry remove(String clientMsgId) {
    return entries.remove(clientMsgId);
  }

  /**
   * Takes out the oldest while there are more than {@code most}; not those that wait for an answer
   * of this connection, nor those for which the server may wait.
   */
  public List<Entry> overflow(int most) {
    List<Entry> gone = new ArrayList<>();
    Iterator<Entry> oldest = entries.values().iterator();
    while (entries.size() > most && oldest.hasNext()) {
      Entry entry = oldest.next();
      if (!entry.underWay && !entry.refused) {
        gone.add(entry);
        oldest.remove();
      }
    }
    return gone;
  }

  /**
   * Takes out what is not under way and was sent {@code windowMs} or longer ago: the server may not
   * remember it.
   */
  public List<Entry> uncertain(long nowMs, long tick, long windowMs) {
    List<Entry> gone = new ArrayList<>();
    for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
      Entry entry = all.next();
      // By both clocks: one may have been set back, the other does not outlive the process.
      long age = Math.max(nowMs - entry.firstSentAt, tick - entry.firstSentTick);
      if (entry.firstSentAt != 0 && !entry.underWay && age >= windowMs) {
        all.remove();
        gone.add(entry);
      }
    }
    return gone;
  }

  /** Takes out what was ever sent: under another client's name it could arrive twice. */
  public List<Entry> attempted() {
    List<Entry> gone = entries.values().stream().filter(e -> e.firstSentAt != 0).toList();
    gone.forEach(entry -> entries.remove(entry.clientMsgId));
    return gone;
  }

  /**
   * Those that may go out now, oldest first; not marked yet. None while one has no answer that went
   * out after a refused one.
   */
  public List<Entry> due() {
    boolean refused = false;
    for (Entry entry : entries.values()) {
      if (refused && entry.underWay) {
        return List.of();
      }
      refused |= entry.refused;
    }
    return entries.values().stream().limit(UNDER_WAY).filter(e -> !e.underWay).toList();
  }

  /** Marks it as sent on this connection; true when it had been sent before. */
  public boolean underWay(Entry entry) {
    entry.underWay = true;
    entry.refused = false;
    entry.times++;
    return entry.times > 1;
  }

  /** The server refused it for now: it is to go out again. Those after it are refused as well. */
  public void refused(Entry entry) {
    entry.underWay = false;
    entry.refused = true;
  }

  /** The connection ended: all are to go out again. */
  public void disconnected() {
    for (Entry entry : entries.values()) {
      entry.underWay = false;
      entry.refused = false;
    }
  }

  public void clear() {
    entries.clear();
  }
}
