package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A message of the user's mailbox.
 *
 * @param seq its number in the mailbox
 * @param msgId its identity, the same for everybody
 * @param from the sending user
 * @param ts milliseconds since 1970, by the broker's clock
 * @param payload as it was sent; numbers keep their digits
 */
public record Message(long seq, String msgId, String from, long ts, JsonNode payload) {
  static Message of(JsonNode frame) {
    return new Message(
        frame.path("seq").asLong(),
        frame.path("msgId").asText(),
        frame.path("from").asText(),
        frame.path("ts").asLong(),
        frame.path("payload"));
  }
}
