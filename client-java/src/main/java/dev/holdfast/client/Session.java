package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.rules.Names;
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
   * A {@code hello} may have reached the server whose welcome did not come: then the server's
   * {@code ackSeq} may tell of that welcome, and not of what was handed over.
   */
  boolean unheard;

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
    if (unheard) {
      json.put("unheard", true);
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

  /**
   * Takes what was stored, field by field: one that cannot be read does not take the others along.
   *
   * @return false when something could not be read; what that means is in docs/clients.md
   */
  boolean read(String text) {
    JsonNode json = Json.readOr(text, Json.object());
    boolean good = json.isObject() && json.path("clientId").isTextual();
    String stored = json.path("clientId").asText();
    if (Names.isName(stored)) {
      clientId = stored;
    } else {
      good = false;
    }
    attempt = Math.max(0, json.path("attempt").asLong());
    epoch = json.path("epoch").textValue();
    JsonNode seq = json.path("lastSeq");
    boolean hasSeq = seq.canConvertToLong() && seq.isIntegralNumber() && seq.asLong() >= 0;
    good &= hasSeq || seq.isMissingNode();
    if (hasSeq && epoch != null) {
      lastSeq = seq.asLong();
    } else {
      good &= !hasSeq;
      epoch = null;
    }
    unheard = lastSeq == NONE || json.path("unheard").asBoolean();
    sessionToken = json.path("sessionToken").textValue();
    return readOwed(json.path("owed")) && good;
  }

  private boolean readOwed(JsonNode stored) {
    boolean good = true;
    for (JsonNode range :
        stored.isObject() ? Json.mapper().createArrayNode().add(stored) : stored) {
      String of = range.path("epoch").textValue();
      long from = range.path("from").asLong(-1);
      long to = range.path("to").asLong(-1);
      if (of != null && from >= 0 && to > from) {
        owed = owed.plus(of, from, to);
      } else {
        good = false;
      }
    }
    return good && (stored.isMissingNode() || stored.isContainerNode());
  }

  /** Stored by itself, and not each time. */
  String seenJson() {
    return Json.write(seen.all());
  }

  /** Takes those that can be read; false when not all can. */
  boolean readSeen(String text) {
    JsonNode ids = Json.readOr(text, Json.object());
    ids.forEach(id -> seen.add(id.asText()));
    return ids.isArray();
  }

  void forget() {
    clientId = "";
    attempt = 0;
    epoch = null;
    lastSeq = NONE;
    sessionToken = null;
    unheard = false;
    owed = Owed.NOTHING;
    seen = new Seen();
  }
}
