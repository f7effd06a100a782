package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.rules.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the client stands in each channel, also those of earlier processes; 10 000 at most. */
final class Positions {
  private static final int MOST = 10_000;

  private final Map<String, String> positions = new LinkedHashMap<>();

  /** Takes those that can be read; false when it is nothing of the kind. */
  boolean read(String stored) {
    JsonNode json = Json.readOr(stored, Json.mapper().createArrayNode());
    json.fieldNames().forEachRemaining(c -> positions.putIfAbsent(c, json.path(c).asText()));
    return json.isObject();
  }

  @Nullable String get(String channel) {
    return positions.get(channel);
  }

  /** Whether that changes anything. */
  boolean put(String channel, String position) {
    boolean changed = !position.equals(positions.put(channel, position));
    if (positions.size() > MOST) {
      positions.remove(positions.keySet().iterator().next());
    }
    return changed;
  }

  void remove(String channel) {
    positions.remove(channel);
  }

  void clear() {
    positions.clear();
  }

  /** As it is stored. */
  @Override
  public String toString() {
    return Json.write(positions);
  }
}
