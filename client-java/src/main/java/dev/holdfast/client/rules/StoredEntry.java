package dev.holdfast.client.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** An entry of the outbox as it is stored. */
public final class StoredEntry {
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

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

  /**
   * Puts all that are stored under a prefix into an outbox, in the order of their numbers.
   *
   * @return the keys of those that cannot be read; their numbers are not given to others
   */
  public static List<String> readAll(Outbox outbox, Map<String, String> values, String prefix) {
    List<String> unreadable = new ArrayList<>();
    new TreeMap<>(values)
        .forEach(
            (key, value) -> {
              if (key.startsWith(prefix) && !read(outbox, key.substring(prefix.length()), value)) {
                unreadable.add(key);
              }
            });
    return unreadable;
  }

  private static boolean read(Outbox outbox, String place, String text) {
    if (!NUMBER.matcher(place).matches()) {
      return false;
    }
    long number = Long.parseLong(place);
    outbox.notBefore(number + 1);
    JsonNode json = Json.readOr(text, Json.object());
    String id = json.path("clientMsgId").asText();
    String payload = json.path("payload").asText();
    boolean good = !id.isEmpty() && outbox.get(id) == null && json.path("to").isObject();
    if (!good || Json.readOr(payload, MissingNode.getInstance()).isMissingNode()) {
      return false;
    }
    long createdAt = json.path("createdAt").asLong();
    long sentAt = json.path("firstSentAt").asLong();
    Outbox.Entry unused =
        outbox.restored(number, id, json.path("to").toString(), payload, createdAt, sentAt);
    return true;
  }
}
