package dev.holdfast.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A topic of channels, and who writes to it, as any Kafka user would. Each payload has the same
 * length and says when its event was due: <code>{"due":1…,"text":"xxx…"}</code>, where the number
 * has always 19 digits, so that a receiver finds it without looking.
 */
final class ChannelSource implements AutoCloseable {
  private static final String BEGIN = "{\"due\":";
  private static final String MIDDLE = ",\"text\":\"";
  private static final int DIGITS = 19;
  private static final long OFFSET = 1_000_000_000_000_000_000L;

  private final String topic;
  private final byte[] template;
  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  /**
   * Makes the topic.
   *
   * @param payloadBytes of each event, at least 64
   */
  ChannelSource(String bootstrap, String topic, int partitions, int payloadBytes)
      throws InterruptedException {
    this.topic = topic;
    String text = BEGIN + "0".repeat(DIGITS) + MIDDLE;
    this.template =
        (text + "x".repeat(payloadBytes - text.length() - 2) + "\"}")
            .getBytes(StandardCharsets.US_ASCII);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      var unused =
          admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot make topic " + topic, e.getCause());
    }
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                bootstrap,
                "linger.ms",
                "1",
                "batch.size",
                "131072",
                "buffer.memory",
                "268435456"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** Writes an event; does not wait for it. */
  void send(byte[] key, long dueNanos) {
    byte[] value = template.clone();
    long rest = OFFSET + dueNanos;
    for (int i = BEGIN.length() + DIGITS - 1; i >= BEGIN.length(); i--) {
      value[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    var unused =
        producer.send(
            new ProducerRecord<>(topic, key, value),
            (metadata, e) -> {
              if (e != null) {
                failure.compareAndSet(null, e);
              }
            });
  }

  /** Waits until all is written; fails when something could not be. */
  void flush() {
    producer.flush();
    Exception e = failure.get();
    if (e != null) {
      throw new IllegalStateException("an event was not written", e);
    }
  }

  /** When an event was due, from its payload at {@code at}; in {@link System#nanoTime}. */
  static long due(ByteBuffer in, int at) {
    long value = 0;
    int from = at + BEGIN.length();
    for (int i = from; i < from + DIGITS; i++) {
      value = value * 10 + (in.get(i) - '0');
    }
    return value - OFFSET;
  }

  @Override
  public void close() {
    producer.close();
  }
}
