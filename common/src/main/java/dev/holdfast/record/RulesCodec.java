package dev.holdfast.record;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rules as a JSON object of numbers; a field that is missing keeps version 1's default. */
public final class RulesCodec {
  private RulesCodec() {}

  /** Every rule by name, in the order of the record. */
  public static Map<String, Long> toMap(Rules r) {
    Map<String, Long> map = new LinkedHashMap<>();
    map.put("version", (long) r.version());
    map.put("partitions", (long) r.partitions());
    map.put("maxBacklog", (long) r.maxBacklog());
    map.put("resumeTtlMs", r.resumeTtlMs());
    map.put("mailboxMessages", (long) r.mailboxMessages());
    map.put("mailboxAgeMs", r.mailboxAgeMs());
    map.put("window", (long) r.window());
    map.put("windowBytes", (long) r.windowBytes());
    map.put("windowStart", (long) r.windowStart());
    map.put("dedupWindowMs", r.dedupWindowMs());
    map.put("clientsPerUser", (long) r.clientsPerUser());
    map.put("leaveDelayMs", r.leaveDelayMs());
    map.put("rosterIntervalMs", r.rosterIntervalMs());
    map.put("mailboxIdleMs", r.mailboxIdleMs());
    return map;
  }

  /**
   * The rules of that map.
   *
   * @throws IllegalArgumentException naming the rule that is missing or out of its range
   */
  public static Rules fromMap(Map<String, Long> given) {
    Long partitions = given.get("partitions");
    if (partitions == null) {
      throw new IllegalArgumentException("partitions is missing");
    }
    Map<String, Long> map = toMap(Rules.defaults(Math.toIntExact(partitions)));
    map.putAll(given);
    return new Rules(
        number(map, "version"),
        number(map, "partitions"),
        number(map, "maxBacklog"),
        value(map, "resumeTtlMs"),
        number(map, "mailboxMessages"),
        value(map, "mailboxAgeMs"),
        number(map, "window"),
        number(map, "windowBytes"),
        number(map, "windowStart"),
        value(map, "dedupWindowMs"),
        number(map, "clientsPerUser"),
        value(map, "leaveDelayMs"),
        value(map, "rosterIntervalMs"),
        value(map, "mailboxIdleMs"));
  }

  static void write(JsonGenerator out, Rules rules) throws IOException {
    out.writeStartObject();
    for (Map.Entry<String, Long> e : toMap(rules).entrySet()) {
      out.writeNumberField(e.getKey(), e.getValue());
    }
    out.writeEndObject();
  }

  static Rules read(JsonParser in) throws IOException, BadRecord {
    if (in.currentToken() != JsonToken.START_OBJECT) {
      throw new BadRecord("bad_event", "rules must be an object");
    }
    Map<String, Long> map = new HashMap<>();
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      if (in.nextToken() == JsonToken.VALUE_NUMBER_INT) {
        map.put(name, in.getLongValue());
      } else {
        in.skipChildren();
      }
    }
    try {
      return fromMap(map);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new BadRecord("bad_event", "rules: " + e.getMessage());
    }
  }

  private static int number(Map<String, Long> map, String name) {
    return Math.toIntExact(value(map, name));
  }

  private static long value(Map<String, Long> map, String name) {
    Long value = map.get(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }
}
