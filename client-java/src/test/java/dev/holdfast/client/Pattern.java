package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** Expected values of a transcript, with its variables (docs/clients.md, Transcripts). */
final class Pattern {
  private final Map<String, JsonNode> variables = new HashMap<>();

  /** Fails unless {@code actual} is what the line expects. */
  void match(String where, JsonNode expected, JsonNode actual) {
    if (expected.isTextual()) {
      text(where, expected.asText(), actual);
    } else if (expected.isObject()) {
      assertThat(actual.isObject()).as("%s is an object: %s", where, actual).isTrue();
      for (Iterator<String> names = expected.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (name.equals("!")) {
          expected.path(name).forEach(n -> assertThat(actual.has(n.asText())).as(where).isFalse());
        } else {
          match(where + "." + name, expected.path(name), actual.path(name));
        }
      }
    } else if (expected.isArray()) {
      assertThat(actual.size()).as("%s: %s", where, actual).isEqualTo(expected.size());
      for (int i = 0; i < expected.size(); i++) {
        match(where + "[" + i + "]", expected.path(i), actual.path(i));
      }
    } else if (expected.isNull()) {
      assertThat(actual.isNull() || actual.isMissingNode()).as("%s: %s", where, actual).isTrue();
    } else if (expected.isNumber()) {
      assertThat(actual.isNumber()).as("%s: %s", where, actual).isTrue();
      assertThat(actual.decimalValue()).as(where).isEqualByComparingTo(expected.decimalValue());
    } else {
      assertThat(actual).as(where).isEqualTo(expected);
    }
  }

  private void text(String where, String expected, JsonNode actual) {
    if (expected.equals("?")) {
      return;
    }
    if (expected.equals("*")) {
      assertThat(actual.isTextual()).as("%s: %s", where, actual).isTrue();
    } else if (expected.equals("*int")) {
      assertThat(actual.isIntegralNumber()).as("%s: %s", where, actual).isTrue();
    } else if (expected.startsWith("$")) {
      assertThat(actual.isMissingNode()).as("%s is missing", where).isFalse();
      JsonNode before = variables.putIfAbsent(expected, actual);
      if (before != null) {
        assertThat(actual).as(where).isEqualTo(before);
      }
    } else {
      assertThat(actual.asText()).as(where).isEqualTo(expected);
    }
  }

  /** Makes up a value of which the line only says the shape. */
  JsonNode fill(JsonNode line) {
    if (line.isObject() && line.has("$seqs")) {
      return messages(line);
    }
    if (line.isObject()) {
      ObjectNode filled = Json.object();
      for (Iterator<String> names = line.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (!name.equals("!") && !line.path(name).asText().equals("?")) {
          filled.set(name, fill(line.path(name)));
        }
      }
      return filled;
    }
    if (line.isArray()) {
      ArrayNode filled = Json.mapper().createArrayNode();
      line.forEach(value -> filled.add(fill(value)));
      return filled;
    }
    return line.isTextual() ? fillText(line.asText()) : line;
  }

  private JsonNode fillText(String text) {
    if (text.startsWith("$")) {
      return variables.computeIfAbsent(
          text, name -> Json.mapper().getNodeFactory().textNode(name.substring(1)));
    }
    return switch (text) {
      case "*" -> Json.mapper().getNodeFactory().textNode("some");
      case "*int" -> Json.mapper().getNodeFactory().numberNode(1);
      default -> Json.mapper().getNodeFactory().textNode(text);
    };
  }

  private static ArrayNode messages(JsonNode line) {
    ArrayNode all = Json.mapper().createArrayNode();
    for (long seq = line.path("$seqs").path(0).asLong();
        seq <= line.path("$seqs").path(1).asLong();
        seq++) {
      ObjectNode message = all.addObject().put("seq", seq).put("msgId", "h" + seq).put("ts", 1);
      message.set("from", line.path("from"));
      message.set("payload", line.path("payload"));
    }
    return all;
  }

  /** A text with variables in it, like a URL. */
  String fillIn(String text) {
    String filled = text;
    for (Map.Entry<String, JsonNode> variable : variables.entrySet()) {
      filled = filled.replace(variable.getKey(), variable.getValue().asText());
    }
    return filled;
  }
}
