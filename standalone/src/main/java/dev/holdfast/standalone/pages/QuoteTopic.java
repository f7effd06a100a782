package dev.holdfast.standalone.pages;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes prices as any service would that knows nothing of Holdfast: records with a key. */
final class QuoteTopic implements Market.Writer, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QuoteTopic.class);
  private static final int LINGER_MS = 5;

  /** Without Kafka a price is given up after so long, and with it the timer goes on. */
  private static final int MOST_WAIT_MS = 2_000;

  private static final Duration END = Duration.ofSeconds(1);

  private final String bootstrap;
  private final String topic;
  private @Nullable KafkaProducer<byte[], byte[]> producer;

  QuoteTopic(String bootstrap, String topic) {
    this.bootstrap = bootstrap;
    this.topic = topic;
  }

  /** The producer is made with the first price: whoever looks at none does not wait for it. */
  @Override
  public synchronized void write(String symbol, byte[] value) {
    KafkaProducer<byte[], byte[]> to = producer == null ? open() : producer;
    producer = to;
    byte[] key = symbol.getBytes(StandardCharsets.UTF_8);
    var unused =
        to.send(
            new ProducerRecord<>(topic, key, value),
            (metadata, failure) -> {
              if (failure != null) {
                LOG.atDebug().setCause(failure).log("a price was not written");
              }
            });
  }

  private KafkaProducer<byte[], byte[]> open() {
    return new KafkaProducer<>(
        Map.of(
            CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            ProducerConfig.LINGER_MS_CONFIG,
            LINGER_MS,
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            MOST_WAIT_MS,
            ProducerConfig.CLIENT_ID_CONFIG,
            "holdfast-market"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  @Override
  public synchronized void close() {
    if (producer != null) {
      producer.close(END);
    }
  }
}
