package dev.holdfast.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The dialogues of protocol.md are what the transcripts play: what the page shows of a client's
 * connections comes in the transcript in the same order and direction, with the same type and at
 * least the fields that are shown. The transcript may have more in between. Of a {@code hello} and
 * a {@code welcome} only the type counts: the page begins in the middle of a life.
 */
class TranscriptDocTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern LINE = Pattern.compile("^\\d+\\s+(C\\d'?) ?\\s*([→←])\\s+(.*)$");
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":");
  private static final Pattern TYPE = Pattern.compile("\"type\":\"(\\w+)\"");
  private static final int AT_LEAST = 10;

  /**
   * Something that passed: {@code what} is a frame's type, {@code close 4002}, {@code GET} or a
   * status.
   */
  private record Step(String actor, String direction, String what, Set<String> fields) {
    boolean isHttp() {
      return what.equals("GET") || what.matches("\\d{3}");
    }

    /** Whether this one, of a transcript, is what the page shows. */
    boolean plays(Step shown) {
      boolean begins = what.equals("hello") || what.equals("welcome");
      return direction.equals(shown.direction)
          && what.equals(shown.what)
          && (begins || fields.containsAll(shown.fields));
    }
  }

  @TestFactory
  List<DynamicTest> dialogues() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Transcript transcript : Transcript.all()) {
      JsonNode head = transcript.head();
      String section = head.path("section").asText();
      if (!section.isEmpty()) {
        tests.add(
            DynamicTest.dynamicTest(
                section + " " + transcript.name(),
                () -> compare(page(section), head, transcript.lines())));
      }
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(AT_LEAST);
    return tests;
  }

  private static void compare(List<Step> page, JsonNode head, List<JsonNode> lines)
      throws IOException {
    JsonNode actors = head.has("actors") ? head.path("actors") : JSON.readTree("{\"C1\":1}");
    int compared = 0;
    for (Iterator<String> names = actors.fieldNames(); names.hasNext(); ) {
      String actor = names.next();
      List<Step> played = played(actors, actor, lines);
      for (boolean http : new boolean[] {false, true}) {
        List<Step> shown =
            page.stream().filter(s -> s.actor().equals(actor) && s.isHttp() == http).toList();
        Iterator<Step> rest = played.stream().filter(s -> s.isHttp() == http).iterator();
        for (Step step : shown) {
          boolean found = false;
          while (!found && rest.hasNext()) {
            found = rest.next().plays(step);
          }
          assertThat(found).as("%s is not played, or not there: %s", step, played).isTrue();
          compared++;
        }
      }
    }
    assertThat(compared).isGreaterThan(2);
  }

  /** What the transcript has of an actor: from its first connection on, but for the others'. */
  private static List<Step> played(JsonNode actors, String actor, List<JsonNode> lines) {
    int first = actors.path(actor).asInt();
    List<Integer> others = new ArrayList<>();
    actors.forEach(n -> others.add(n.asInt()));
    List<Step> steps = new ArrayList<>();
    for (JsonNode line : lines) {
      int c = line.path("c").asInt(first);
      if (c < first || (c != first && others.contains(c))) {
        continue;
      }
      if (line.has("send")) {
        steps.add(frame(actor, "→", line.path("send")));
      } else if (line.has("recv")) {
        steps.add(frame(actor, "←", line.path("recv")));
      } else if (line.has("close")) {
        steps.add(new Step(actor, "←", "close " + line.path("close").asInt(), new TreeSet<>()));
      } else if (line.has("get")) {
        steps.add(new Step(actor, "→", "GET", new TreeSet<>()));
        steps.add(
            new Step(
                actor,
                "←",
                line.path("answer").path("status").asText(),
                names(line.path("answer").path("body"))));
      }
    }
    return steps;
  }

  private static Step frame(String actor, String direction, JsonNode frame) {
    String what = frame.isTextual() ? "text" : frame.path("type").asText();
    return new Step(actor, direction, what, names(frame));
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  /** The numbered lines of a section's code block; a frame that goes over several lines is one. */
  private static List<Step> page(String section) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("..", "docs", "protocol.md"));
    List<Step> steps = new ArrayList<>();
    boolean inside = false;
    for (String line : lines) {
      if (line.startsWith("#")) {
        inside = line.matches("#+ " + Pattern.quote(section) + " .*");
      }
      Matcher matcher = LINE.matcher(line);
      if (inside && matcher.matches()) {
        steps.add(shown(matcher.group(1), matcher.group(2), matcher.group(3).strip()));
      }
    }
    assertThat(steps).as("docs/protocol.md, section " + section).isNotEmpty();
    return steps;
  }

  private static Step shown(String actor, String direction, String what) {
    Set<String> fields = new TreeSet<>();
    Matcher type = TYPE.matcher(what);
    if (what.startsWith("GET ")) {
      return new Step(actor, direction, "GET", fields);
    }
    if (what.startsWith("close ")) {
      return new Step(actor, direction, "close " + what.split(" ", -1)[1], fields);
    }
    boolean status = what.matches("\\d{3} .*");
    if (!status && !type.find()) {
      return new Step(actor, direction, "text", fields);
    }
    Matcher field = FIELD.matcher(topLevel(what));
    while (field.find()) {
      fields.add(field.group(1));
    }
    return new Step(actor, direction, status ? what.substring(0, 3) : type.group(1), fields);
  }

  /** Without what lies in objects and arrays within. */
  private static String topLevel(String text) {
    StringBuilder top = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth -= c == '}' || c == ']' ? 1 : 0;
      if (depth <= 1) {
        top.append(c);
      }
      depth += c == '{' || c == '[' ? 1 : 0;
    }
    return top.toString();
  }
}
