package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Reads of older records of one partition, one read for all who wait on it. Plain code without
 * Kafka; one thread.
 *
 * <p>A round begins at the oldest position that anybody ready needs and goes up. Who comes while it
 * is under way and needs nothing that it has passed joins it; others wait for the next round, and
 * so do those whose client does not take more for now. The first round begins some records earlier
 * than it must, so that repeats are known as such ({@link RepeatWindow}) and the epochs before each
 * position are seen. What is known of them stays, so the next one begins where it has to and no
 * earlier, unless that is far from what was read.
 */
final class Pass {
  private final Place place;
  private final int lookBack;
  private final int repeatRecords;
  private final Map<String, List<Reader>> active = new HashMap<>();
  private final Queue<Reader> unchecked =
      new PriorityQueue<>(Comparator.comparingLong(Reader::next));
  private final List<Reader> waiting = new ArrayList<>();
  private RepeatWindow window = new RepeatWindow(0, Pass::uncounted);
  private Epochs epochs = new Epochs();
  private long position;
  private long sound;
  private long noted = -1;
  private int readers;

  Pass(Place place, ChannelLimits limits) {
    this.place = place;
    this.lookBack = Feed.lookBack(place, limits);
    this.repeatRecords = Feed.repeatRecords(place, limits);
  }

  Place place() {
    return place;
  }

  /** One more who reads. */
  void add(Reader reader) {
    if (joins(reader)) {
      activate(reader);
    } else {
      waiting.add(reader);
    }
  }

  /** Whether a round is under way. */
  boolean running() {
    return readers > 0;
  }

  /** What it keeps while it reads is bounded by its records; the room is for what stays. */
  private static void uncounted(long bytes) {}

  /** Whether nobody is left. */
  boolean empty() {
    return readers == 0 && waiting.isEmpty();
  }

  /** Whether anybody is ready for a round; those who are gone leave. */
  boolean ready(long nowMs) {
    boolean ready = false;
    for (Iterator<Reader> all = waiting.iterator(); all.hasNext(); ) {
      Reader reader = all.next();
      if (reader.gone()) {
        all.remove();
        dismiss(reader);
      } else {
        ready |= reader.ready(nowMs);
      }
    }
    return ready;
  }

  /**
   * Begins a round for those who are ready.
   *
   * @param start where the log begins
   * @return the offset to read from; below 0: nobody is ready
   */
  long begin(LogStart start, long nowMs) {
    long kept = start.offset();
    long from = Long.MAX_VALUE;
    List<Reader> ready = new ArrayList<>();
    for (Iterator<Reader> all = waiting.iterator(); all.hasNext(); ) {
      Reader reader = all.next();
      if (!reader.gone() && reader.ready(nowMs)) {
        all.remove();
        if (reader.next() < kept) {
          reader.lost(place, Reasons.GAP, kept);
        }
        if (reader.gone()) {
          dismiss(reader);
        } else {
          ready.add(reader);
          from = Math.min(from, reader.next());
        }
      }
    }
    if (ready.isEmpty()) {
      return -1;
    }
    if (knows(from, kept)) {
      position = Math.min(from, noted);
    } else {
      window = new RepeatWindow(repeatRecords, Pass::uncounted);
      epochs = new Epochs();
      position = Math.max(kept, from - lookBack);
      sound = position == kept ? kept : from;
      noted = position;
      if (position == kept && kept > 0) {
        epochs.note(kept - 1, start.epoch());
      }
    }
    ready.forEach(this::activate);
    return position;
  }

  /** Whether what the rounds before have read is enough to go on from an offset. */
  private boolean knows(long from, long kept) {
    return noted >= Math.max(kept, from - lookBack)
        && from >= Math.max(sound, window.again())
        && epochs.at(Math.min(from, noted) - 1) != Epochs.UNKNOWN;
  }

  /** Leader epoch of what lies before the offset that is read next; below 0: not known. */
  int epoch() {
    return epochs.at(position - 1);
  }

  /** Those who wait join the round, where they are ready and need nothing that it has passed. */
  void rejoin(long nowMs) {
    for (Iterator<Reader> all = waiting.iterator(); all.hasNext(); ) {
      Reader reader = all.next();
      if (joins(reader) && !reader.gone() && reader.ready(nowMs)) {
        all.remove();
        activate(reader);
      }
    }
  }

  private boolean joins(Reader reader) {
    return readers > 0 && reader.next() >= Math.max(position, sound);
  }

  private void activate(Reader reader) {
    active.computeIfAbsent(reader.key(), key -> new ArrayList<>(1)).add(reader);
    unchecked.add(reader);
    readers++;
  }

  /**
   * The next record of the round.
   *
   * @return false when it is another one than was read at its place before: the log was cut off, so
   *     that what is known of it is worth nothing, and the round is over
   */
  boolean record(ChannelEvent event, long nowMs) {
    if (event.offset() < noted && epochs.differ(event.offset(), event.epoch())) {
      interrupted();
      return false;
    }
    note(event.offset(), event.epoch());
    boolean repeat = window.repeats(event.offset(), event.msgId());
    check(event.offset());
    List<Reader> those = repeat ? null : active.get(event.key());
    if (those != null) {
      for (int i = those.size() - 1; i >= 0; i--) {
        Reader reader = those.get(i);
        if (event.offset() >= reader.next() && !reader.take(event, place, nowMs)) {
          those.remove(i);
          readers--;
          waiting.add(reader);
          reader.paused(place, event.offset(), epochs.at(event.offset() - 1));
        }
      }
    }
    position = event.offset() + 1;
    return true;
  }

  /** Compares positions with the log, once it was read up to them, or behind them. */
  private void check(long offset) {
    Reader reader = unchecked.peek();
    while (reader != null && reader.next() <= offset) {
      unchecked.remove();
      Position claim = reader.claim();
      if (reader.gone()) {
        // It leaves when the round is further on.
      } else if (claim != null && claim.next() == reader.next() && epochs.doubt(claim)) {
        reader.lost(place, Reasons.TRUNCATED, offset);
        if (reader.gone()) {
          remove(reader);
        } else {
          reader.begins(place);
        }
      } else {
        reader.begins(place);
      }
      reader = unchecked.peek();
    }
  }

  private void remove(Reader reader) {
    List<Reader> those = active.get(reader.key());
    if (those != null && those.remove(reader)) {
      readers--;
    }
  }

  /**
   * There are no more records before {@code offset}.
   *
   * @param epoch leader epoch of what ends there; below 0: not known
   */
  void passed(long offset, int epoch) {
    note(offset - 1, epoch);
  }

  private void note(long offset, int epoch) {
    if (offset >= noted) {
      epochs.note(offset, epoch);
      noted = offset + 1;
    }
  }

  /** Everything before {@code offset} was read; those who have what they want leave. */
  void reached(long offset) {
    position = Math.max(position, offset);
    // What lies right before it tells enough; where that is not known, only what lies behind it.
    check(epochs.at(position - 1) == Epochs.UNKNOWN ? position - 1 : position);
    for (Iterator<List<Reader>> all = active.values().iterator(); all.hasNext(); ) {
      List<Reader> those = all.next();
      for (int i = those.size() - 1; i >= 0; i--) {
        if (those.get(i).reached(position, epochs.last())) {
          those.remove(i);
          readers--;
        }
      }
      if (those.isEmpty()) {
        all.remove();
      }
    }
  }

  /** The log lost what the round was about to read. */
  void interrupted() {
    active.values().forEach(waiting::addAll);
    unchecked.clear();
    active.clear();
    readers = 0;
    noted = -1;
  }

  /** Whether anybody in the round waits for what would lie behind the log's end. */
  boolean beyond(long end) {
    return active.values().stream().flatMap(List::stream).anyMatch(one -> one.beyond(end));
  }

  /** The log was found to end at {@code end}, before where it was read. */
  void cutOff(long end) {
    interrupted();
    for (Iterator<Reader> all = waiting.iterator(); all.hasNext(); ) {
      Reader reader = all.next();
      reader.cutOff(end);
      if (reader.gone()) {
        all.remove();
        dismiss(reader);
      }
    }
  }

  /** Nobody waits for it any more; it may be the first to hear of that. */
  private static void dismiss(Reader reader) {
    boolean unused = reader.reached(0, Epochs.UNKNOWN);
  }

  /** The topic is another one now: nobody may go on in it as if nothing had happened. */
  void uproot() {
    interrupted();
    List<Reader> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(Reader::uprooted);
  }

  /** The partition cannot be read: everybody is told. */
  void fail(String why) {
    interrupted();
    List<Reader> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(reader -> reader.failed(why));
  }

  /** The offset that is read next. */
  long position() {
    return position;
  }
}
