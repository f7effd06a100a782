package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.rules.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The client plays docs/transcripts, as the other library does. */
class TranscriptTest {
  private static final int AT_LEAST = 15;

  private static Path docs() {
    return Stream.of(Path.of("..", "docs"), Path.of("docs"))
        .filter(Files::isDirectory)
        .findFirst()
        .orElseThrow();
  }

  private static List<JsonNode> lines(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .filter(line -> !line.isBlank())
          .map(Json::read)
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<List<JsonNode>> playable() throws IOException {
    List<List<JsonNode>> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(docs().resolve("transcripts"))) {
      files
          .filter(file -> file.toString().endsWith(".jsonl"))
          .sorted()
          .forEach(f -> all.add(lines(f)));
    }
    all.removeIf(lines -> !lines.get(0).path("players").toString().contains("\"client\""));
    return all;
  }

  @Test
  @DisplayName("there are transcripts to play")
  void some() throws IOException {
    assertThat(playable()).hasSizeGreaterThanOrEqualTo(AT_LEAST);
  }

  @TestFactory
  Stream<DynamicTest> transcripts() throws IOException {
    return playable().stream()
        .map(
            lines -> {
              JsonNode head = lines.get(0);
              String name = head.path("transcript").asText() + ": " + head.path("about").asText();
              return DynamicTest.dynamicTest(
                  name, () -> new Script(head).play(lines.subList(1, lines.size())));
            });
  }
}
