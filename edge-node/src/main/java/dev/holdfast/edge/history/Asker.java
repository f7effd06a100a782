package dev.holdfast.edge.history;

/**
 * Who waits for an answer. Told once, by one of its methods, on a thread that must not be blocked.
 */
public interface Asker {
  /**
   * The log has answered.
   *
   * @param page a {@link dev.holdfast.record.HistoryPage}, the body for whoever asked
   */
  void answered(byte[] page);

  /** Kafka did not take the question. */
  void notStored();

  /** There was no answer within {@link Queries#TIMEOUT_MS}; there may have been one later. */
  void unanswered();
}
