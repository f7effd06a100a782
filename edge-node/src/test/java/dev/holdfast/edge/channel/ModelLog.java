package dev.holdfast.edge.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One partition's log as a plain list: what a broker may do to it, and what the truth about it is.
 */
final class ModelLog {
  /**
   * @param value null: a tombstone
   * @param uid different for each record that ever was
   */
  record Rec(
      long offset,
      int epoch,
      String key,
      @Nullable String msgId,
      @Nullable String value,
      int uid) {}

  /** The end was lost from an offset on; what follows has another leader. */
  private record Cut(long offset, int topic, int epoch) {}

  private final int window;
  private final List<@Nullable Rec> slots = new ArrayList<>();
  private final List<Integer> epochs = new ArrayList<>();
  private final List<Rec> ever = new ArrayList<>();
  private final List<Cut> cuts = new ArrayList<>();
  private String tag = "topic-00";
  private long start;
  private long pinned;
  private int epoch = 1;
  private int topics;

  /**
   * @param window offsets within which a message's id is known
   */
  ModelLog(int window) {
    this.window = window;
  }

  String tag() {
    return tag;
  }

  long start() {
    return start;
  }

  long end() {
    return slots.size();
  }

  int topics() {
    return topics;
  }

  /** Times that it was cut off. */
  int cuts() {
    return cuts.size();
  }

  /** Times that it had been cut off when a leader of that epoch wrote. */
  int cuts(int epoch) {
    return (int) cuts.stream().filter(cut -> cut.topic() < topics || cut.epoch() <= epoch).count();
  }

  /** The record at an offset; null: none, or Kafka's own. */
  @Nullable Rec at(long offset) {
    return slots.get((int) offset);
  }

  /** Leader epoch of what lies at an offset; below 0: compaction has left nothing there. */
  int epoch(long offset) {
    return epochs.get((int) offset);
  }

  /**
   * Leader epoch of the first record from an offset on; that of the next one when there is none.
   */
  int epochFrom(long offset) {
    for (long o = Math.max(offset, start); o < end(); o++) {
      Rec rec = at(o);
      if (rec != null) {
        return rec.epoch();
      }
    }
    return epoch;
  }

  /** Leader epoch of what the log begins with; that of the leader when it has nothing. */
  int startEpoch() {
    return start < end() ? epoch(start) : epoch;
  }

  /** Whether the log has kept no record from before an offset. */
  boolean nothingBefore(long offset) {
    for (long o = start; o < Math.min(offset, end()); o++) {
      if (at(o) != null) {
        return false;
      }
    }
    return true;
  }

  void append(String key, @Nullable String msgId, boolean tombstone) {
    int uid = ever.size();
    String value = tombstone ? null : Integer.toString(uid);
    Rec rec = new Rec(end(), epoch, key, msgId, value, uid);
    slots.add(rec);
    epochs.add(epoch);
    ever.add(rec);
  }

  /** The marker of a transaction, or a record that it took back. */
  void hole() {
    slots.add(null);
    epochs.add(epoch);
  }

  void newLeader() {
    epoch++;
  }

  void retain(long from) {
    start = Math.max(start, Math.min(from, end()));
  }

  /**
   * An unclean election: the end is lost, and another leader goes on. What made compaction remove
   * an older record is not lost: then the key's value would be gone, which no reader could tell.
   */
  void cut(long at) {
    while (end() > Math.max(at, Math.max(start, pinned))) {
      slots.remove(slots.size() - 1);
      epochs.remove(epochs.size() - 1);
    }
    epoch++;
    cuts.add(new Cut(end(), topics, epoch));
  }

  void recreate() {
    slots.clear();
    epochs.clear();
    start = 0;
    pinned = 0;
    epoch = 1;
    topics++;
    tag = "topic-0" + topics;
  }

  /** Lowest offset at which it was cut off. */
  long firstCut() {
    return cuts.stream().mapToLong(Cut::offset).min().orElse(Long.MAX_VALUE);
  }

  /** Removes records before {@code before} that have a newer one of their key. */
  void compact(long before) {
    for (int i = (int) start; i < Math.min(before, end()); i++) {
      Rec rec = slots.get(i);
      Rec newer = rec == null ? null : newest(rec.key());
      if (newer != null && !newer.equals(rec)) {
        slots.set(i, null);
        epochs.set(i, Epochs.UNKNOWN);
        pinned = Math.max(pinned, newer.offset() + 1);
      }
    }
  }

  @Nullable Rec newest(String key) {
    for (int i = slots.size() - 1; i >= 0; i--) {
      Rec rec = slots.get(i);
      if (rec != null && rec.key().equals(key)) {
        return rec;
      }
    }
    return null;
  }

  /** Whether a cut ever took something before {@code offset}. */
  boolean cutBelow(long offset) {
    return cutBelow(offset, 0);
  }

  /** Whether a cut since the first {@code known} took something before {@code offset}. */
  boolean cutBelow(long offset, int known) {
    return cuts.subList(Math.min(known, cuts.size()), cuts.size()).stream()
        .anyMatch(cut -> cut.offset() < offset);
  }

  Rec ever(int uid) {
    return ever.get(uid);
  }

  /** The events of a key from {@code from} on that a subscriber is to see. */
  List<Rec> events(String key, long from, long to) {
    List<Rec> events = new ArrayList<>();
    for (long o = from; o < Math.min(to, end()); o++) {
      Rec rec = at(o);
      if (rec != null && rec.key().equals(key) && original(rec) < 0) {
        events.add(rec);
      }
    }
    return events;
  }

  /** Whether every reader that sees what is kept must drop it. */
  boolean surelyRepeat(Rec rec) {
    return original(rec) >= start;
  }

  /** Offset of the newest record within the window with the same id; below 0: none. */
  private long original(Rec rec) {
    for (long o = rec.offset() - 1; o >= Math.max(0, rec.offset() - window); o--) {
      Rec before = o < end() ? at(o) : null;
      if (before != null && rec.msgId() != null && Objects.equals(before.msgId(), rec.msgId())) {
        return o;
      }
    }
    return -1;
  }
}
