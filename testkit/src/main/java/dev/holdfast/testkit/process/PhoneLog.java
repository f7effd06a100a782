package dev.holdfast.testkit.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a {@link PhoneClient} was given and what was accepted from it, for the test to compare. */
public final class PhoneLog {
  private final List<Handed> handed = new ArrayList<>();
  private final List<Sent> sent = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();

  /** A message handed to the application; {@code nanos} is {@link System#nanoTime} then. */
  public record Handed(long seq, String msgId, String from, String payload, long nanos) {}

  /**
   * A send that the server has.
   *
   * @param createdNanos when the application sent it ({@link System#nanoTime})
   * @param sentNanos when {@code sent} came
   */
  public record Sent(
      String clientMsgId,
      String msgId,
      List<String> to,
      String payload,
      long createdNanos,
      long sentNanos) {}

  PhoneLog() {}

  synchronized void handed(Handed message) {
    handed.add(message);
  }

  synchronized void sent(Sent send) {
    sent.add(send);
  }

  synchronized void violation(String what) {
    violations.add(what);
  }

  synchronized void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** What the application was given, in that order. */
  public synchronized List<Handed> handed() {
    return List.copyOf(handed);
  }

  /** How many it was given. */
  public synchronized int handedCount() {
    return handed.size();
  }

  /** What the server accepted, in the order of {@code sent}. */
  public synchronized List<Sent> sent() {
    return List.copyOf(sent);
  }

  /** Broken promises that the phone saw itself, like a gap in the seqs; empty when all is well. */
  public synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** How often what happened: {@code resumed}, {@code closed 1006}, {@code error overloaded}. */
  public synchronized Map<String, Integer> counts() {
    return new TreeMap<>(counts);
  }
}
