package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

/**
 * An event of a channel.
 *
 * @param position where the client stands once it has handled it
 * @param msgId where it was published through an edge
 * @param from who published it, where that is known
 * @param ts milliseconds since 1970
 * @param payload {@code null} as JSON for a key that has no value any more
 * @param unreadable why the value cannot be a payload, which is {@code null} then
 */
public record ChannelEvent(
    String channel,
    String position,
    @Nullable String msgId,
    @Nullable String from,
    long ts,
    JsonNode payload,
    @Nullable String unreadable) {
  static ChannelEvent of(JsonNode frame) {
    return new ChannelEvent(
        frame.path("channel").asText(),
        frame.path("position").asText(),
        frame.path("msgId").textValue(),
        frame.path("from").textValue(),
        frame.path("ts").asLong(),
        frame.path("payload"),
        frame.path("unreadable").textValue());
  }
}
