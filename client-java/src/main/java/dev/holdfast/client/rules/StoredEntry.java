package dev.holdfast.client.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** An entry of the outbox as it is stored. */
public final class StoredEntry {
  private StoredEntry() {}

  public static String write(Outbox.Entry entry) {
    ObjectNode json = Json.object().put("clientMsgId", entry.clientMsgId());
    json.set("to", Json.read(entry.to()));
    json.put("payload", entry.payload()).put("createdAt", entry.createdAt());
    if (entry.firstSentAt() != 0) {
      json.put("firstSentAt", entry.firstSentAt());
    }
    return json.toString();
  }

  /** Puts a stored one at the end of the outbox. */
  public static void read(Outbox outbox, long number, String text) {
    JsonNode json = Json.read(text);
    Outbox.Entry unused =
        outbox.restored(
            number,
            json.path("clientMsgId").asText(),
            json.path("to").toString(),
            json.path("payload").asText(),
            json.path("createdAt").asLong(),
            json.path("firstSentAt").asLong());
  }
}
