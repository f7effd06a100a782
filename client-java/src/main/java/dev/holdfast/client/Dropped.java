package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A message that left the outbox without being accepted.
 *
 * @param to {@code {"user":…}}, {@code {"users":[…]}} or {@code {"channel":…}}
 * @param reason {@code overflow}, {@code uncertain}, {@code logged_out}, or the server's error code
 * @param uncertain it had been sent: it may have arrived
 */
public record Dropped(
    String clientMsgId, JsonNode to, JsonNode payload, String reason, boolean uncertain) {}
