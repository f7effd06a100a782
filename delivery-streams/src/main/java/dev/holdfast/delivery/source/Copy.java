package dev.holdfast.delivery.source;

import dev.holdfast.RawJson;
import dev.holdfast.id.Names;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one record of a source: a function of the record, its place and the
 * configuration, so that whoever copies it again makes the same copy, under the same identity.
 */
public sealed interface Copy {
  /**
   * A message for the log.
   *
   * @param user the key
   * @param value the event as it lies in {@code holdfast.events}
   */
  record Forward(String user, Event.Message event, RawJson value) implements Copy {}

  /** A record that cannot be a message. */
  record Dead(String reason, String detail) implements Copy {}

  /** A tombstone: there is nothing to deliver. */
  record Skip() implements Copy {}

  /**
   * The copy of a record.
   *
   * @param topicId of the source as it is now; one that is deleted and made anew has another
   * @param epoch of the leader that took the record, or {@link Progress#NO_EPOCH}
   * @param key the user
   * @param value the payload; absent for a tombstone
   */
  static Copy of(
      SourceSpec spec,
      String topicId,
      int partition,
      long offset,
      int epoch,
      byte @Nullable [] key,
      byte @Nullable [] value) {
    if (value == null) {
      return new Skip();
    }
    try {
      String user = user(key);
      RawJson payload = spec.format().payload(value);
      Event.Message event =
          new Event.Message(spec.from(), "", identity(topicId, partition, offset, epoch), payload);
      RawJson written = RawJson.of(EventWriter.write(event));
      checkSize(user.length() + written.size());
      return new Forward(user, event, written);
    } catch (BadRecord e) {
      return new Dead(e.reason(), e.detail());
    }
  }

  /**
   * The clientMsgId of the message that is made of the record at this place (D1). The leader epoch
   * tells a record from the one that lay at its offset before the log was cut and written anew.
   */
  private static String identity(String topicId, int partition, long offset, int epoch) {
    String place = topicId + ':' + partition + ':' + offset;
    return epoch == Progress.NO_EPOCH ? place : place + ':' + epoch;
  }

  private static String user(byte @Nullable [] key) throws BadRecord {
    if (key == null) {
      throw new BadRecord("bad_key", "the record has no key; it must be the user");
    }
    String user = new String(key, StandardCharsets.UTF_8);
    if (!Names.valid(user)) {
      throw new BadRecord("bad_key", "the key must be 1-128 characters of [A-Za-z0-9._~@:-]");
    }
    return user;
  }

  private static void checkSize(int size) throws BadRecord {
    if (size > Event.MAX_RECORD) {
      throw new BadRecord(
          "too_large",
          "as an event the record has " + size + " bytes, at most " + Event.MAX_RECORD);
    }
  }
}
