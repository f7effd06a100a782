package dev.holdfast.testkit.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A page under {@code docs/}, for comparing its tables with the code. */
final class MarkdownPage {
  private final String name;
  private final List<String> lines;

  private MarkdownPage(String name, List<String> lines) {
    this.name = name;
    this.lines = lines;
  }

  /** The page of that name; the build's working directory is the module's or the root. */
  static MarkdownPage read(String name) throws IOException {
    for (Path dir : List.of(Path.of("..", "docs"), Path.of("docs"))) {
      Path page = dir.resolve(name);
      if (Files.exists(page)) {
        return new MarkdownPage(name, Files.readAllLines(page));
      }
    }
    throw new IOException("docs/" + name + " is not there");
  }

  /**
   * The rows of the first table after the heading, without the header; each cell trimmed and
   * without backquotes.
   */
  List<List<String>> table(String heading) {
    int at = lines.indexOf(heading);
    if (at < 0) {
      throw new AssertionError("docs/" + name + " has no heading \"" + heading + "\"");
    }
    List<List<String>> rows = new ArrayList<>();
    for (String line : lines.subList(at + 1, lines.size())) {
      if (line.startsWith("|")) {
        rows.add(cells(line));
      } else if (!rows.isEmpty() || line.startsWith("#")) {
        break;
      }
    }
    if (rows.size() < 3) {
      throw new AssertionError("docs/" + name + " has no table under \"" + heading + "\"");
    }
    return rows.subList(2, rows.size());
  }

  private static List<String> cells(String line) {
    String inner = line.substring(1, line.length() - 1);
    return Arrays.stream(inner.split("\\|", -1)).map(c -> c.replace("`", "").trim()).toList();
  }
}
