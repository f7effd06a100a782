package dev.holdfast.delivery.replay;

import dev.holdfast.delivery.StartRefused;
import java.util.BitSet;
import org.apache.kafka.common.TopicPartition;

/**
 * Which records of a range a run has copied before, as its copies in the channel's partition tell.
 * One bit a record of the range. For one thread.
 */
final class SentBefore {
  private final BitSet sent = new BitSet();
  private final long start;
  private long end = -1;

  private SentBefore(long start) {
    this.start = start;
  }

  /** Of a run that is new. */
  static SentBefore nothing() {
    return new SentBefore(0);
  }

  /**
   * Reads what the run has copied.
   *
   * @param copies stands where the copies are, on all that there may be
   * @param run its name
   * @param topicId of the channel's topic
   * @param from the partition in which the range lies
   * @param range which is repeated
   * @throws StartRefused when the range has more than 2^31 offsets
   */
  static SentBefore read(
      RangeReader copies, String run, String topicId, TopicPartition from, Span range) {
    if (range.end() - range.start() > Integer.MAX_VALUE) {
      throw new StartRefused("the range is too long to be repeated; end it earlier, with --to");
    }
    SentBefore before = new SentBefore(range.start());
    copies.read(
        (record, within) -> {
          CopyMark mark = CopyMark.of(record.headers());
          if (mark != null
              && mark.run().equals(run)
              && mark.topicId().equals(topicId)
              && mark.partition() == from.partition()) {
            before.note(mark, range);
          }
        });
    return before;
  }

  private void note(CopyMark mark, Span range) {
    end = mark.end();
    if (mark.offset() >= range.start() && mark.offset() < range.end()) {
      sent.set((int) (mark.offset() - start));
    }
  }

  /** Whether the record at an offset of the range was copied before. */
  boolean has(long offset) {
    return !sent.isEmpty() && sent.get((int) (offset - start));
  }

  /** The offset behind the range as it was before; below 0: nothing was copied. */
  long end() {
    return end;
  }
}
