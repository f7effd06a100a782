package dev.holdfast.testkit.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page in Prometheus' text format, taken apart. */
public final class MetricsPage {
  private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("([a-z]+)=\"([^\"]*)\"");

  /** Labels that every metric of a process has, and a histogram's bucket. */
  private static final Set<String> COMMON = Set.of("edge", "replica", "le");

  private final List<String> names = new ArrayList<>();
  private final Map<String, Map<Map<String, String>, Double>> samples = new TreeMap<>();

  private MetricsPage() {}

  public static MetricsPage of(String page) {
    MetricsPage told = new MetricsPage();
    for (String line : page.split("\n", -1)) {
      if (line.startsWith("# TYPE ")) {
        told.names.add(line.split(" ", -1)[2]);
      } else if (!line.startsWith("#") && !line.isEmpty()) {
        told.sample(line);
      }
    }
    return told;
  }

  private void sample(String line) {
    Matcher sample = SAMPLE.matcher(line);
    if (!sample.matches()) {
      throw new AssertionError("not in Prometheus' format: " + line);
    }
    Map<String, String> labels = new TreeMap<>();
    if (sample.group(2) != null) {
      Matcher label = LABEL.matcher(sample.group(2));
      while (label.find()) {
        labels.put(label.group(1), label.group(2));
      }
    }
    String value = sample.group(3).replace("+Inf", "Infinity");
    samples
        .computeIfAbsent(sample.group(1), n -> new java.util.HashMap<>())
        .put(labels, Double.parseDouble(value));
  }

  /** Each metric and the labels that are its own, in order. */
  public Set<String> described() {
    Set<String> described = new TreeSet<>();
    for (String name : names) {
      Set<String> labels = new TreeSet<>();
      samples.forEach(
          (sample, values) -> {
            if (sample.equals(name) || sample.matches(name + "_(bucket|sum|count)")) {
              values.keySet().forEach(one -> labels.addAll(one.keySet()));
            }
          });
      labels.removeAll(COMMON);
      described.add(name + ' ' + String.join(" ", labels));
    }
    return described;
  }

  /** The sum of a metric's samples with this label. */
  public double sum(String sample, String label, String value) {
    return samples.getOrDefault(sample, Map.of()).entrySet().stream()
        .filter(e -> value.equals(e.getKey().get(label)))
        .mapToDouble(Map.Entry::getValue)
        .sum();
  }

  /** The sum of a metric's samples. */
  public double sum(String sample) {
    return samples.getOrDefault(sample, Map.of()).values().stream()
        .mapToDouble(Double::doubleValue)
        .sum();
  }

  /** How many samples the page has. */
  public int size() {
    return samples.values().stream().mapToInt(Map::size).sum();
  }
}
