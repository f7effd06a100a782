package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.rules.Proposals;
import dev.holdfast.record.EventWriter;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends proposals and forwarded records to the log. A plain idempotent producer: in a transaction
 * they would hold back every reader of the partition until it commits (D1). Thread-safe.
 */
final class LogWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final KafkaProducer<byte[], byte[]> producer;

  LogWriter(String bootstrap, Map<String, String> kafka) {
    Map<String, Object> props = new HashMap<>();
    props.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    props.put(ProducerConfig.ACKS_CONFIG, "all");
    props.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    props.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    // With several at once a broker that has just become leader may take the second and never the
    // first, as on a topic just made.
    props.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
    props.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, "2097152");
    props.put(ProducerConfig.BUFFER_MEMORY_CONFIG, "8388608");
    // A proposal may be lost: the next tick makes it again. It must never hold up a stream thread.
    props.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "5000");
    props.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "1000");
    props.putAll(kafka);
    this.producer =
        new KafkaProducer<>(props, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Appends a proposal; failure is logged and made good by the next tick. */
  void propose(int partition, Proposals.Proposal proposal) {
    byte @Nullable [] key =
        proposal.user() == null ? null : proposal.user().getBytes(StandardCharsets.UTF_8);
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(
                Topics.EVENTS.topic(), partition, key, EventWriter.write(proposal.event())),
            (metadata, error) -> {
              if (error != null) {
                LOG.atWarn()
                    .addKeyValue("partition", partition)
                    .addKeyValue("error", error.toString())
                    .log("a proposal was not appended; it will be made again");
              }
            });
  }

  /**
   * Appends a record to the partition it belongs to and returns once all in-sync replicas have it.
   *
   * @throws IllegalStateException when that fails; the caller must not commit
   */
  void forward(int partition, byte[] key, byte[] value, Headers headers) {
    try {
      producer
          .send(new ProducerRecord<>(Topics.EVENTS.topic(), partition, null, key, value, headers))
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("a record could not be moved to partition " + partition, e);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
