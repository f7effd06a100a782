package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.rules.Forwards;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.id.Names;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one record of the log, alike in the running application and in a rebuild: it is
 * applied, or it lies where it does not belong, or it cannot be read. For one partition and one
 * thread.
 */
final class Intake {
  /** What is beyond the rows. */
  interface Outside {
    /**
     * Whether who asked the question at {@code at} has given up long ago, so that reading a mailbox
     * for it would only make those wait who have not. A query changes no row, so whatever decides
     * this decides nothing that stays.
     */
    boolean tooLate(LogPosition at);

    /** The record belongs to another partition, to which it was not moved before. */
    void forward(int home, byte[] key, byte[] value, Headers headers, Event event);

    /** The record was not applied. */
    void unreadable(BadRecord why);
  }

  private final DeliveryRules rules;
  private final int partition;
  private final int partitions;
  private final Outside outside;

  /**
   * @param partitions of {@code holdfast.events}
   */
  Intake(DeliveryRules rules, int partition, int partitions, Outside outside) {
    this.rules = rules;
    this.partition = partition;
    this.partitions = partitions;
    this.outside = outside;
  }

  /** Takes the record at {@code at}; the log has moved on when this returns. */
  void apply(byte @Nullable [] key, byte @Nullable [] value, Headers headers, LogPosition at) {
    try {
      take(key, value, headers, at);
    } catch (BadRecord e) {
      outside.unreadable(e);
      rules.skip(at);
    }
  }

  private void take(byte @Nullable [] key, byte @Nullable [] value, Headers headers, LogPosition at)
      throws BadRecord {
    checkSize(key, value, headers);
    Event event = EventReader.read(value);
    if (event.keyed()) {
      takeKeyed(key, Objects.requireNonNull(value), headers, event, at);
    } else {
      rules.step(at, "", event);
    }
  }

  private void takeKeyed(
      byte @Nullable [] key, byte[] value, Headers headers, Event event, LogPosition at)
      throws BadRecord {
    if (key == null) {
      throw new BadRecord("bad_key", "the record has no key; it must be the user");
    }
    String user = user(key);
    int home = OutKey.partitionFor(key, partitions);
    if (home != partition) {
      forward(home, key, value, headers, event);
      rules.skip(at);
      return;
    }
    checkAge(headers, at);
    if (event instanceof Event.Query && outside.tooLate(at)) {
      rules.skip(at);
    } else {
      rules.step(at, user, event);
    }
  }

  private static void checkSize(byte @Nullable [] key, byte @Nullable [] value, Headers headers)
      throws BadRecord {
    long size = value == null ? 0 : value.length;
    size += key == null ? 0 : key.length;
    for (Header header : headers) {
      size += header.key().length() + (header.value() == null ? 0 : header.value().length);
    }
    if (size > Event.MAX_RECORD) {
      throw new BadRecord(
          "too_large", "the record has " + size + " bytes, at most " + Event.MAX_RECORD);
    }
  }

  /**
   * A rebuild forwards again what was forwarded before. Within the dedup window the copy dies as a
   * repeat; an older one cannot be told from a new message, so it is not taken.
   */
  private void checkAge(Headers headers, LogPosition at) throws BadRecord {
    Header time = headers.lastHeader(DeliveryHeaders.FORWARDED_TIME);
    if (time == null) {
      return;
    }
    long originMs;
    try {
      originMs = Long.parseLong(new String(time.value(), StandardCharsets.US_ASCII));
    } catch (NumberFormatException e) {
      throw new BadRecord("bad_event", DeliveryHeaders.FORWARDED_TIME + " is no number");
    }
    if (Forwards.tooOld(originMs, at, rules.rules())) {
      long age = at.timestamp() - originMs;
      throw new BadRecord("stale_forward", "moved " + age + " ms after it was written");
    }
  }

  private static String user(byte[] key) throws BadRecord {
    String user = new String(key, StandardCharsets.UTF_8);
    if (!Names.valid(user)) {
      throw new BadRecord("bad_key", "the key must be 1-128 characters of [A-Za-z0-9._~@:-]");
    }
    return user;
  }

  /** Producers in other languages hash keys differently; their records move once (D1). */
  private void forward(int home, byte[] key, byte[] value, Headers headers, Event event)
      throws BadRecord {
    if (headers.lastHeader(DeliveryHeaders.FORWARDED) != null) {
      throw new BadRecord("wrong_partition", "the record was moved once and is wrong again");
    }
    outside.forward(home, key, value, headers, event);
  }
}
