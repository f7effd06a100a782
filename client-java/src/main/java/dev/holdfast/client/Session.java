package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.rules.Owed;
import dev.holdfast.client.rules.Seen;
import java.util.Base64;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What is stored as one value: who this client is, and how far it has got. */
final class Session {
  /** No message was ever handed over. */
  static final long NONE = -1;

  private static final int ID_BYTES = 12;

  String clientId = "";
  long attempt;
  @Nullable String epoch;

  /** The newest seq whose handler was through; {@link #NONE} before the first {@code welcome}. */
  long lastSeq = NONE;

  @Nullable String sessionToken;

  /**
   * A {@code hello} without a cursor may have reached the server before, whose welcome did not
   * come: then the server's {@code ackSeq} tells of that welcome, and not of what was handed over.
   */
  boolean askedNew;

  Owed owed = Owed.NOTHING;
  Seen seen = new Seen();

  /** 16 characters that nobody else makes. */
  static String randomId(RandomGenerator random) {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).replace('_', '.');
  }

  /** Larger than any before: the server lets the newer of two connections live. */
  long nextAttempt(long nowMs) {
    attempt = Math.max(attempt + 1, nowMs);
    return attempt;
  }

  String toJson() {
    ObjectNode json = Json.object().put("clientId", clientId).put("attempt", attempt);
    if (epoch != null) {
      json.put("epoch", epoch);
    }
    if (lastSeq != NONE) {
      json.put("lastSeq", lastSeq);
    }
    if (sessionToken != null) {
      json.put("sessionToken", sessionToken);
    }
    ArrayNode ranges = json.putArray("owed");
    for (Owed.Range range : owed.ranges()) {
      ranges
          .addObject()
          .put("epoch", range.epoch())
          .put("from", range.from())
          .put("to", range.to());
    }
    return json.toString();
  }

  /** Takes what was stored. */
  void read(String text) {
    JsonNode json = Json.read(text);
    clientId = json.path("clientId").asText(clientId);
    attempt = json.path("attempt").asLong();
    epoch = json.path("epoch").textValue();
    lastSeq = json.path("lastSeq").asLong(NONE);
    askedNew = lastSeq == NONE;
    sessionToken = json.path("sessionToken").textValue();
    JsonNode ranges = json.path("owed");
    for (JsonNode range :
        ranges.isObject() ? Json.mapper().createArrayNode().add(ranges) : ranges) {
      owed =
          owed.plus(
              range.path("epoch").asText(), range.path("from").asLong(), range.path("to").asLong());
    }
  }

  /** Stored by itself, and not each time. */
  String seenJson() {
    return Json.write(seen.all());
  }

  void readSeen(String text) {
    Json.read(text).forEach(id -> seen.add(id.asText()));
  }

  void forget() {
    clientId = "";
    attempt = 0;
    epoch = null;
    lastSeq = NONE;
    sessionToken = null;
    askedNew = false;
    owed = Owed.NOTHING;
    seen = new Seen();
  }
}
