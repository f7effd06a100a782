package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.topology.TopicsAdmin.Finding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Collects what a check finds; what is true of several topics or brokers is said once. */
final class Findings {
  private record Fact(boolean refusal, boolean trial, String text) {}

  private final Map<Fact, Set<String>> subjects = new LinkedHashMap<>();

  /** A sentence about no topic or broker in particular. */
  void add(boolean refusal, String sentence) {
    subjects.computeIfAbsent(new Fact(refusal, false, sentence), f -> new TreeSet<>());
  }

  /** {@code subject} has {@code what}: the setting, its value, what it costs, what to do. */
  void has(boolean refusal, String subject, String what) {
    subjects.computeIfAbsent(new Fact(refusal, false, what), f -> new TreeSet<>()).add(subject);
  }

  /** The same of what is right for whoever tries it out on one machine. */
  void hasOnTrial(String subject, String what) {
    subjects.computeIfAbsent(new Fact(false, true, what), f -> new TreeSet<>()).add(subject);
  }

  /** Refusals first, otherwise in the order of their finding. */
  List<Finding> list() {
    List<Finding> found = new ArrayList<>();
    subjects.forEach(
        (fact, who) -> found.add(new Finding(fact.refusal(), fact.trial(), sentence(fact, who))));
    found.sort(Comparator.comparing(Finding::refusal).reversed());
    return found;
  }

  private static String sentence(Fact fact, Set<String> who) {
    if (who.isEmpty()) {
      return fact.text();
    }
    return String.join(", ", who) + (who.size() == 1 ? " has " : " have ") + fact.text();
  }
}
