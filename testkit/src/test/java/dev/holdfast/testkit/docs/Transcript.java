package dev.holdfast.testkit.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A dialogue of docs/transcripts.
 *
 * @param head its first line
 * @param lines the others, in order
 */
public record Transcript(JsonNode head, List<JsonNode> lines) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** All there are, by name. */
  public static List<Transcript> all() throws IOException {
    List<Transcript> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("..", "docs", "transcripts"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".jsonl")).sorted().toList()) {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
          lines.add(JSON.readTree(line));
        }
        all.add(new Transcript(lines.get(0), lines.subList(1, lines.size())));
      }
    }
    return all;
  }

  public String name() {
    return head.path("transcript").asText();
  }

  /** Whether real edges play it. */
  public boolean isForServers() {
    return head.path("players").toString().contains("\"server\"");
  }
}
