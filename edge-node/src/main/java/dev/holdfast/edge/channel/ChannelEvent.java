package dev.holdfast.edge.channel;

import dev.holdfast.channel.Position;
import dev.holdfast.frame.EventFrame;
import org.jspecify.annotations.Nullable;

/**
 * One record of a channel's topic. Its frame is made when the first subscriber needs it and shared
 * by all. Used by one thread at a time.
 */
final class ChannelEvent {
  /** Bytes that a kept event costs beside its value: names, position, and the objects. */
  private static final int OVERHEAD = 400;

  private final long offset;
  private final int epoch;
  private final String key;
  private final long ts;
  private final @Nullable String msgId;
  private final @Nullable String from;
  private final boolean tombstone;
  private final int bytes;
  private byte @Nullable [] value;
  private byte @Nullable [] frame;

  /**
   * @param epoch the record's leader epoch; below 0 when the broker did not tell
   * @param ts milliseconds since 1970
   * @param value null for a tombstone
   */
  ChannelEvent(
      long offset,
      int epoch,
      String key,
      long ts,
      @Nullable String msgId,
      @Nullable String from,
      byte @Nullable [] value) {
    this.offset = offset;
    this.epoch = epoch;
    this.key = key;
    this.ts = ts;
    this.msgId = msgId;
    this.from = from;
    this.value = value;
    this.tombstone = value == null;
    this.bytes = OVERHEAD + key.length() + (value == null ? 0 : value.length);
  }

  long offset() {
    return offset;
  }

  int epoch() {
    return epoch;
  }

  String key() {
    return key;
  }

  long ts() {
    return ts;
  }

  @Nullable String msgId() {
    return msgId;
  }

  /** Whether it says that the key has no value any more. */
  boolean tombstone() {
    return tombstone;
  }

  /** What it takes to keep it; an estimate. */
  int bytes() {
    return bytes;
  }

  /** The frame for subscribers. */
  byte[] frame(Place place) {
    byte[] made = frame;
    if (made == null) {
      made =
          EventFrame.of(
              place.namespace().prefix() + ':' + key,
              Position.text(place.topic(), place.partition(), offset + 1, epoch),
              msgId,
              from,
              ts,
              value,
              place.namespace().format(),
              place.eventBytes());
      frame = made;
      value = null; // the frame has it
    }
    return made;
  }
}
