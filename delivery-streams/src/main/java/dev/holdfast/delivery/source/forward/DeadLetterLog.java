package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.Copy;
import dev.holdfast.topic.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of dead letters of one source: the first, then at most one line in ten seconds with how
 * many there were. A wrong format makes one of every record. For one thread.
 */
final class DeadLetterLog {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetterLog.class);
  private static final long EVERY_NANOS = 10_000_000_000L;

  private final String topic;
  private long untold;
  private long toldAt;
  private boolean told;

  DeadLetterLog(String topic) {
    this.topic = topic;
  }

  void tell(ConsumerRecord<byte[], byte[]> record, Copy.Dead why) {
    untold++;
    long now = System.nanoTime();
    if (told && now - toldAt < EVERY_NANOS) {
      return;
    }
    LOG.atWarn()
        .addKeyValue("source", topic)
        .addKeyValue("partition", record.partition())
        .addKeyValue("offset", record.offset())
        .addKeyValue("reason", why.reason())
        .addKeyValue("records", untold)
        .log("records of a source went to {}: {}", Topics.DEAD_LETTERS.topic(), why.detail());
    told = true;
    toldAt = now;
    untold = 0;
  }
}
