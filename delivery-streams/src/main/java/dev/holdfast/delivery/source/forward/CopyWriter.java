package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.source.Copy;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Appends copies to the log and dead letters beside it, a bounded number at a time. The first write
 * that fails ends this writer: nothing is written after it, since that would overtake it. One
 * thread writes and asks; answers come on the producer's own.
 */
public final class CopyWriter implements AutoCloseable {
  /** Most copies that are not answered yet, of one source. */
  static final int MOST_RECORDS = 1_000;

  /** Most bytes of them; one record always fits. */
  static final int MOST_BYTES = 4 << 20;

  private static final int MAX_DEAD_LETTER = 1 << 20;
  private static final int MAX_KEY = 1024;

  private final KafkaProducer<byte[], byte[]> producer;
  private final Object lock = new Object();
  private int records;
  private long bytes;
  private @Nullable Exception failure;

  public CopyWriter(SourceClients clients) {
    this.producer = clients.producer();
  }

  /** Whether another record may be written now. */
  public boolean hasRoom() {
    synchronized (lock) {
      return records < MOST_RECORDS && bytes < MOST_BYTES;
    }
  }

  /**
   * Appends a message to the log.
   *
   * @param stored called, on the producer's thread, once all in-sync replicas have it
   */
  void forward(Copy.Forward copy, Runnable stored) {
    byte[] user = copy.user().getBytes(StandardCharsets.UTF_8);
    write(new ProducerRecord<>(Topics.EVENTS.topic(), user, copy.value().utf8()), stored);
  }

  /**
   * Appends a message that was in the log before, as {@link #forward} does.
   *
   * @param firstMs when its identity was known first, ms since 1970; where the rules could no
   *     longer recognise it, they put it to dead letters
   */
  public void again(Copy.Forward copy, long firstMs, Runnable stored) {
    byte[] user = copy.user().getBytes(StandardCharsets.UTF_8);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(Topics.EVENTS.topic(), user, copy.value().utf8());
    header(record, DeliveryHeaders.FORWARDED_TIME, Long.toString(firstMs));
    write(record, stored);
  }

  /**
   * Appends a record of any topic.
   *
   * @param stored called, on the producer's thread, with the offset, once all in-sync replicas have
   *     it
   */
  public void append(ProducerRecord<byte[], byte[]> record, LongConsumer stored) {
    write(record, metadata -> stored.accept(metadata.offset()));
  }

  /** Waits until another record may be written; as {@link #check} throws, so does it. */
  public void waitForRoom() {
    check();
    try {
      while (!hasRoom()) {
        awaitRoom(Duration.ofSeconds(1));
        check();
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /** Appends what cannot be a message to the dead letters. */
  void deadLetter(ConsumerRecord<byte[], byte[]> source, Copy.Dead why, Runnable stored) {
    ProducerRecord<byte[], byte[]> letter =
        new ProducerRecord<>(
            Topics.DEAD_LETTERS.topic(),
            cut(source.key(), MAX_KEY),
            cut(source.value(), MAX_DEAD_LETTER));
    header(letter, DeliveryHeaders.TOPIC, source.topic());
    header(letter, DeliveryHeaders.PARTITION, Integer.toString(source.partition()));
    header(letter, DeliveryHeaders.OFFSET, Long.toString(source.offset()));
    header(letter, DeliveryHeaders.REASON, why.reason());
    header(letter, DeliveryHeaders.DETAIL, why.detail());
    write(letter, stored);
  }

  private static void header(ProducerRecord<byte[], byte[]> record, String name, String value) {
    record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] cut(byte @Nullable [] whole, int most) {
    if (whole == null) {
      return new byte[0];
    }
    return whole.length <= most ? whole : Arrays.copyOf(whole, most);
  }

  private void write(ProducerRecord<byte[], byte[]> record, Runnable stored) {
    write(record, metadata -> stored.run());
  }

  private void write(ProducerRecord<byte[], byte[]> record, Consumer<RecordMetadata> stored) {
    check();
    byte[] value = record.value();
    long size = (long) record.key().length + (value == null ? 0 : value.length);
    synchronized (lock) {
      records++;
      bytes += size;
    }
    Future<RecordMetadata> unused =
        producer.send(
            record,
            (metadata, error) -> {
              if (error == null) {
                stored.accept(metadata);
              }
              answered(size, error);
            });
  }

  private void answered(long size, @Nullable Exception error) {
    boolean first;
    synchronized (lock) {
      records--;
      bytes -= size;
      first = error != null && failure == null;
      if (first) {
        failure = error;
      }
      lock.notifyAll();
    }
    if (first) {
      // From its own thread this does not wait, and the producer sends nothing more.
      producer.close(Duration.ZERO);
    }
  }

  /**
   * Throws what a write failed with, if one did.
   *
   * @throws KafkaException with the cause
   */
  public void check() {
    synchronized (lock) {
      if (failure != null) {
        throw failure instanceof KafkaException kafka
            ? kafka
            : new KafkaException("a copy was not written: " + failure.getMessage(), failure);
      }
    }
  }

  /** Waits until another record may be written, a write has failed, or the time is over. */
  public void awaitRoom(Duration patience) throws InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    synchronized (lock) {
      while ((records >= MOST_RECORDS || bytes >= MOST_BYTES) && failure == null) {
        long left = (until - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        lock.wait(left);
      }
    }
  }

  /** Waits until all is answered or the time is over. */
  public void awaitAnswers(Duration patience) throws InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    synchronized (lock) {
      while (records > 0 && failure == null) {
        long left = (until - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return;
        }
        lock.wait(left);
      }
    }
  }

  /** Gives up what is not answered yet; it may or may not come to lie in the log. */
  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
