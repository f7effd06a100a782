package dev.holdfast.delivery.topology;

/** What the number of a topic's copies, and how many must be there to write, costs. */
final class Copies {
  private Copies() {}

  /**
   * @param replicas copies of each partition
   * @param minIsr {@code min.insync.replicas}
   * @param brokers in the cluster now
   * @param stops what goes wrong while nothing can be written to it
   */
  static void check(
      Findings findings, String topic, int replicas, int minIsr, int brokers, String stops) {
    String copies = replicas + (replicas == 1 ? " replica" : " replicas");
    String settings = copies + " and min.insync.replicas=" + minIsr;
    if (minIsr > replicas) {
      findings.has(
          true,
          topic,
          settings
              + ": nothing can be written to it, so "
              + stops
              + "; set min.insync.replicas to "
              + Math.max(1, replicas - 1)
              + ", or give it more replicas (`holdfast kafka reassign-partitions`)");
    } else if (replicas > 1 && minIsr == replicas) {
      findings.has(
          false,
          topic,
          settings
              + ": while any one of these brokers is away, "
              + stops
              + "; set min.insync.replicas to "
              + (replicas - 1)
              + ", which should be 2, with 3 replicas");
    } else if (replicas > 1 && minIsr == 1) {
      findings.has(
          false,
          topic,
          settings
              + ": what is acknowledged may be on one disk only, and be lost with it; set"
              + " min.insync.replicas to 2");
    } else if (replicas == 1 && brokers > 1) {
      findings.has(
          false,
          topic,
          copies
              + ": a lost disk loses what is in it, and while its broker is away "
              + stops
              + "; give it 3 (`holdfast kafka reassign-partitions`; docs/operations.md, Topics)");
    }
  }
}
