package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.DeliveryConfig;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** How Kafka Streams is set up; each setting that is not Kafka's default has its reason here. */
final class StreamsSettings {
  /** Of the classic protocol: how late a dead instance is noticed. */
  static final int SESSION_TIMEOUT_MS = 6_000;

  static final int HEARTBEAT_INTERVAL_MS = 1_500;

  /** A dead instance's open transaction blocks its successor until this has passed. */
  static final int TRANSACTION_TIMEOUT_MS = 3_000;

  /** Goes with Kafka 5, and so its constant in {@link StreamsConfig} is deprecated. */
  private static final String GLOBAL_HANDLER = "processing.exception.handler.global.enabled";

  /** Kafka Streams lets a client's property also stand behind the client's name. */
  private static final List<String> CLIENTS = List.of("main.consumer.", "consumer.", "producer.");

  private StreamsSettings() {}

  /**
   * What of these a broker may refuse.
   *
   * @param changelogCopies -1: the broker's default
   */
  record Asked(int sessionTimeoutMs, int transactionTimeoutMs, int changelogCopies) {

    /**
     * @param kafka the operator's properties
     * @throws IllegalArgumentException when one of them is no number
     */
    static Asked of(Map<String, String> kafka) {
      return new Asked(
          number(kafka, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_TIMEOUT_MS),
          number(kafka, ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS),
          number(kafka, StreamsConfig.REPLICATION_FACTOR_CONFIG, -1));
    }

    private static int number(Map<String, String> kafka, String name, int otherwise) {
      String found = kafka.get(name);
      for (int i = CLIENTS.size() - 1; i >= 0; i--) {
        found = kafka.getOrDefault(CLIENTS.get(i) + name, found);
      }
      try {
        return found == null ? otherwise : Integer.parseInt(found);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(name + " must be a number, not " + found, e);
      }
    }
  }

  static Properties of(DeliveryConfig config) {
    Properties p = new Properties();
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, config.applicationId());
    p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrap());
    p.put(StreamsConfig.STATE_DIR_CONFIG, config.dataDir().toString());
    p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, config.threads());
    p.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, config.groupProtocol());
    p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    // A crash then restores the tail since the last flush, not everything (KIP-892).
    p.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, true);
    p.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, SharedMemory.class);
    p.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
    // Deliveries do not wait for the commit; this bounds what is repeated after a crash.
    p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
    // Streams' own producer lingers 100 ms by default.
    p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 1);
    p.put(
        StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG),
        TRANSACTION_TIMEOUT_MS);
    p.put(StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), 2_097_152);
    // A commit waits as long as a broker is away (24 days). Giving up would call its tasks
    // corrupted, and Streams 4.4 loses records when it mends those (docs/decisions/0010).
    p.put(StreamsConfig.producerPrefix(ProducerConfig.MAX_BLOCK_MS_CONFIG), Integer.MAX_VALUE);
    p.put(StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG, EndOnFailedWrite.class);
    p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "none");
    p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 1_000);
    // There is no global store; without these Streams warns about it at each start. The assignor
    // has only what the consumer was given, reads that as a configuration of Streams, and warns as
    // well.
    p.put(GLOBAL_HANDLER, true);
    p.put(StreamsConfig.mainConsumerPrefix(GLOBAL_HANDLER), true);
    p.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000);
    if (config.groupProtocol().equals("classic")) {
      p.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, config.standbys());
      p.put(
          StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG),
          SESSION_TIMEOUT_MS);
      p.put(
          StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
          HEARTBEAT_INTERVAL_MS);
    }
    // Behind a client's name, a default would win over what the operator says without one.
    config.kafka().keySet().forEach(key -> CLIENTS.forEach(client -> p.remove(client + key)));
    p.putAll(config.kafka());
    return p;
  }
}
