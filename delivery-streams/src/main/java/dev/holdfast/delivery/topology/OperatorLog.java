package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.record.Event;
import dev.holdfast.record.EventWriter;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Appends what an operator wants to happen to a user. A plain idempotent producer, as everybody's
 * who writes to the log (D1); its own partitioner hashes keys as edges do. For one thread.
 */
public final class OperatorLog {
  /**
   * Where a record came to lie.
   *
   * @param partition of {@code holdfast.events}
   * @param offset in it
   */
  public record Place(int partition, long offset) {}

  private final String bootstrap;
  private final Map<String, Object> settings;

  /**
   * @param patience how long one append may take, at least a second
   * @param kafka further client properties
   */
  public OperatorLog(String bootstrap, Duration patience, Map<String, String> kafka) {
    this.bootstrap = bootstrap;
    this.settings = new HashMap<>(kafka);
    int ms = (int) patience.toMillis();
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    // An operator waits for it, and repeats the command when told to.
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ms);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, ms);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, ms);
  }

  /**
   * Appends an event and returns once all in-sync replicas have it.
   *
   * @param user the record's key
   * @throws StartRefused when Kafka did not take it in time; then it may or may not come to lie
   *     there
   */
  public Place append(String user, Event event) {
    byte[] key = user.getBytes(StandardCharsets.UTF_8);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      RecordMetadata at =
          producer
              .send(new ProducerRecord<>(Topics.EVENTS.topic(), key, EventWriter.write(event)))
              .get();
      return new Place(at.partition(), at.offset());
    } catch (ExecutionException e) {
      throw notTaken(StartRefused.said(e), e);
    } catch (KafkaException e) {
      throw notTaken(String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notTaken("interrupted", e);
    }
  }

  private StartRefused notTaken(String why, Exception cause) {
    return new StartRefused(
        "Kafka at "
            + bootstrap
            + " did not take the "
            + Topics.EVENTS.topic()
            + " record: "
            + why
            + "; run the same command again",
        cause);
  }
}
