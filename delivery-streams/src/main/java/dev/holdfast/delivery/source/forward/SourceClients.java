package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.SourceSpec;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Kafka's clients for sources, each setting with its reason.
 *
 * @param bootstrap Kafka's {@code bootstrap.servers}
 * @param kafka further client properties, which win over what is not promised
 */
public record SourceClients(String bootstrap, Map<String, String> kafka) {
  public SourceClients {
    kafka = Map.copyOf(kafka);
  }

  /** A member of the source's group. */
  KafkaConsumer<byte[], byte[]> member(SourceSpec spec) {
    Map<String, Object> props = reading();
    // A death is noticed as soon as that of a streams instance.
    props.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 6_000);
    props.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 2_000);
    props.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    // A topic that was deleted may come back.
    props.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 10_000);
    props.putAll(kafka);
    props.put(ConsumerConfig.GROUP_ID_CONFIG, spec.group());
    // The classic protocol takes no commit of a member of an older generation; see Begin.
    props.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
    return reader(props);
  }

  /** A consumer without a group. */
  public KafkaConsumer<byte[], byte[]> reader() {
    Map<String, Object> props = reading();
    props.putAll(kafka);
    return reader(props);
  }

  private Map<String, Object> reading() {
    Map<String, Object> props = new HashMap<>();
    props.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    props.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 500);
    props.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 << 20);
    props.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 30_000);
    props.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
    return props;
  }

  private static KafkaConsumer<byte[], byte[]> reader(Map<String, Object> props) {
    props.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    props.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    props.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    props.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return new KafkaConsumer<>(props, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Writes copies, in the order in which they are given; see {@link SourceForwarder}. */
  KafkaProducer<byte[], byte[]> producer() {
    Map<String, Object> props = new HashMap<>();
    props.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    props.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    props.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 * 1024);
    props.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 4L * CopyWriter.MOST_BYTES);
    // A dead letter carries a whole record and its headers.
    props.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 2 << 20);
    props.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
    props.putAll(kafka);
    props.put(ProducerConfig.ACKS_CONFIG, "all");
    props.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    // One batch a partition at a time, so that nothing follows one that fails. With more, a broker
    // that has just become leader may take the second and never the first.
    props.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    // Who was stopped for longer must not write on when it wakes.
    props.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 120_000);
    props.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 30_000);
    return new KafkaProducer<>(props, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** For asking about topics. */
  public Admin admin() {
    Map<String, Object> props = new HashMap<>(kafka);
    props.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
    props.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 30_000);
    return Admin.create(props);
  }
}
