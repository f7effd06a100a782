package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Values of a transcript: variables, any values, and users under names of this run. */
final class Expected {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> NAMES_USERS = Set.of("user", "from", "users", "watch");

  private final Map<String, JsonNode> variables = new HashMap<>();
  private final Map<String, String> users = new HashMap<>();
  private final UnaryOperator<String> tokens;

  /**
   * {@code names} get {@code suffix} wherever they stand for a user.
   *
   * @param tokens makes a token of what the transcript calls it
   */
  Expected(List<String> names, String suffix, UnaryOperator<String> tokens) {
    this.tokens = tokens;
    names.forEach(name -> users.put(name, name + suffix));
  }

  String user(String name) {
    return users.getOrDefault(name, name);
  }

  /** Fails unless {@code actual} is what is expected. */
  void match(String where, JsonNode expected, JsonNode actual) {
    if (expected.isObject() && expected.has("$seqs")) {
      messages(where, expected, actual);
    } else if (expected.isObject()) {
      for (Iterator<String> names = expected.fieldNames(); names.hasNext(); ) {
        field(where, names.next(), expected, actual);
      }
    } else if (expected.isArray()) {
      assertThat(actual.size()).as("%s: %s", where, actual).isEqualTo(expected.size());
      for (int i = 0; i < expected.size(); i++) {
        match(where + "[" + i + "]", expected.path(i), actual.path(i));
      }
    } else if (expected.isTextual()) {
      text(where, expected.asText(), actual);
    } else {
      assertThat(actual.toString()).as(where).isEqualTo(expected.toString());
    }
  }

  private void field(String where, String name, JsonNode expected, JsonNode actual) {
    if (name.equals("!")) {
      expected.path(name).forEach(n -> assertThat(actual.has(n.asText())).as(where).isFalse());
    } else if (NAMES_USERS.contains(name) && expected.path(name).isTextual()) {
      String wanted = expected.path(name).asText();
      assertThat(actual.path(name).asText()).as(where + "." + name).isEqualTo(user(wanted));
    } else {
      match(where + "." + name, expected.path(name), actual.path(name));
    }
  }

  private void messages(String where, JsonNode expected, JsonNode actual) {
    long first = expected.path("$seqs").path(0).asLong();
    long last = expected.path("$seqs").path(1).asLong();
    assertThat(actual.size()).as(where).isEqualTo((int) (last - first + 1));
    for (int i = 0; i < actual.size(); i++) {
      assertThat(actual.path(i).path("seq").asLong()).as(where).isEqualTo(first + i);
      assertThat(actual.path(i).path("from").asText())
          .isEqualTo(user(expected.path("from").asText()));
      match(where, expected.path("payload"), actual.path(i).path("payload"));
    }
  }

  private void text(String where, String expected, JsonNode actual) {
    switch (expected) {
      case "?" -> {}
      case "*" -> assertThat(actual.isTextual()).as("%s: %s", where, actual).isTrue();
      case "*int" -> assertThat(actual.isIntegralNumber()).as("%s: %s", where, actual).isTrue();
      default -> {
        JsonNode wanted = JsonNodeFactory.instance.textNode(expected);
        if (expected.startsWith("$")) {
          assertThat(actual.isMissingNode()).as(where).isFalse();
          wanted = variables.computeIfAbsent(expected, name -> actual);
        }
        assertThat(actual).as(where).isEqualTo(wanted);
      }
    }
  }

  /** A frame to send, of what the transcript says of it. */
  JsonNode fill(JsonNode line) {
    if (line.isObject()) {
      ObjectNode filled = JSON.createObjectNode();
      for (Iterator<String> names = line.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        JsonNode value = line.path(name);
        if (NAMES_USERS.contains(name) && value.isTextual()) {
          filled.put(name, user(value.asText()));
        } else if (NAMES_USERS.contains(name) && value.isArray()) {
          ArrayNode all = filled.putArray(name);
          value.forEach(one -> all.add(user(one.asText())));
        } else if (name.equals("token")) {
          filled.put(name, tokens.apply(value.asText()));
        } else if (!value.asText().equals("?")) {
          filled.set(name, fill(value));
        }
      }
      return filled;
    }
    if (line.isArray()) {
      ArrayNode filled = JSON.createArrayNode();
      line.forEach(value -> filled.add(fill(value)));
      return filled;
    }
    return variables.getOrDefault(line.asText(), line);
  }

  /** A URL with variables and users in it. */
  String url(String text) {
    String filled = text;
    for (Map.Entry<String, JsonNode> variable : variables.entrySet()) {
      filled = filled.replace(variable.getKey(), variable.getValue().asText());
    }
    for (Map.Entry<String, String> user : users.entrySet()) {
      filled = filled.replace("user=" + user.getKey() + "&", "user=" + user.getValue() + "&");
    }
    return filled;
  }
}
