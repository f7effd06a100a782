package dev.holdfast.edge.channel;

import dev.holdfast.frame.ErrorCode;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * What the sender of an event is told that Kafka did not take.
 *
 * @param why a sentence for people
 */
record NotWritten(ErrorCode code, String why) {
  static NotWritten of(Exception failure) {
    if (failure instanceof TimeoutException) {
      return new NotWritten(ErrorCode.OVERLOADED, "the channel's topic cannot take more for now");
    }
    if (failure instanceof RecordTooLargeException) {
      return new NotWritten(
          ErrorCode.PAYLOAD_TOO_LARGE, "the channel's topic takes no event so large");
    }
    if (failure instanceof AuthorizationException) {
      return new NotWritten(
          ErrorCode.FORBIDDEN, "this server may not write to the channel's topic");
    }
    return new NotWritten(ErrorCode.NOT_STORED, "Kafka refused the record");
  }
}
