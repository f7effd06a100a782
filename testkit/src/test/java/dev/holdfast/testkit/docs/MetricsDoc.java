package dev.holdfast.testkit.docs;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The tables of docs/metrics.md. */
public final class MetricsDoc {
  private MetricsDoc() {}

  /** Each metric under these headings, with its further labels, as {@link MetricsPage} says it. */
  public static Set<String> read(String... headings) throws IOException {
    Set<String> metrics = new TreeSet<>();
    for (String heading : headings) {
      for (List<String> row : MarkdownPage.read("metrics.md").table(heading)) {
        if (row.size() != 3 || row.get(2).isEmpty()) {
          throw new AssertionError("a row without a meaning: " + row);
        }
        metrics.add(row.get(0) + ' ' + row.get(1).replaceAll("[`,]+", "").strip());
      }
    }
    return metrics;
  }
}
