package dev.holdfast.standalone.pages;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes prices as any service would that knows nothing of Holdfast: records with a key. */
final class QuoteTopic implements Market.Writer, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QuoteTopic.class);
  private static final int LINGER_MS = 5;
  private static final Duration END = Duration.ofSeconds(1);

  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;

  QuoteTopic(String bootstrap, String topic) {
    this.topic = topic;
    this.producer =
        new KafkaProducer<>(
            Map.of(
                CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ProducerConfig.LINGER_MS_CONFIG,
                LINGER_MS,
                ProducerConfig.CLIENT_ID_CONFIG,
                "holdfast-market"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  @Override
  public void write(String symbol, byte[] value) {
    byte[] key = symbol.getBytes(StandardCharsets.UTF_8);
    var unused =
        producer.send(
            new ProducerRecord<>(topic, key, value),
            (metadata, failure) -> {
              if (failure != null) {
                LOG.atDebug().setCause(failure).log("a price was not written");
              }
            });
  }

  @Override
  public void close() {
    producer.close(END);
  }
}
