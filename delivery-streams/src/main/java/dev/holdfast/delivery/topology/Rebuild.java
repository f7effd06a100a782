package dev.holdfast.delivery.topology;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.Event;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;

/**
 * One partition's rows made anew from its log, by the same rules and nothing else: no effect leaves
 * here, no record is moved. For one thread.
 */
final class Rebuild implements Intake.Outside, Effects {
  private final int partition;
  private final byte[] topicId;
  private final NotedRows rows;
  private final Intake intake;
  private boolean begun;

  /**
   * @param rows empty
   * @param partitions of {@code holdfast.events}
   * @param topicId of the log
   */
  Rebuild(RocksRows rows, int partition, int partitions, String topicId) {
    this.rows = new NotedRows(rows);
    this.partition = partition;
    this.topicId = topicId.getBytes(StandardCharsets.UTF_8);
    this.intake =
        new Intake(new DeliveryRules(this.rows, this, partitions), partition, partitions, this);
  }

  /** Applies the next record of the log. */
  void apply(ConsumerRecord<byte[], byte[]> record) {
    if (!begun) {
      begun = true;
      rows.put(Keys.logId(), topicId); // as the application notes it at its first record
    }
    LogPosition at = new LogPosition(partition, record.offset(), record.timestamp());
    intake.apply(record.key(), record.value(), record.headers(), at);
  }

  /** From here on {@link #written} tells what each record has changed. */
  void note() {
    rows.note();
  }

  /** Keys of the rows that were written since the last call. */
  List<byte[]> written() {
    return rows.written();
  }

  /** Nobody waits for the answer to a question that was asked some time. */
  @Override
  public boolean tooLate(LogPosition at) {
    return true;
  }

  @Override
  public void forward(int home, byte[] key, byte[] value, Headers headers, Event event) {
    // Was moved when it came; its copy lies where it belongs.
  }

  @Override
  public void unreadable(BadRecord why) {
    // Went to dead letters when it came.
  }

  @Override
  public void deliver(Delivery delivery) {}

  @Override
  public void presence(String user, RawJson record) {}

  @Override
  public void deadLetter(String reason, String detail) {}

  @Override
  public void repeat() {}
}
