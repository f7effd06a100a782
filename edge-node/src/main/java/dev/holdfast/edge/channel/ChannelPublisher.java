package dev.holdfast.edge.channel;

import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.Seldom;
import dev.holdfast.frame.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events to channels' topics, with the headers that readers know a repeat by (D11). Its
 * producer never waits, so that it may be called under a connection's lock; its buffer is the
 * bound.
 *
 * <p>Events do not expire in the producer, where one that did would be overtaken by those behind
 * it. So what is on its way to a topic that is deleted would wait for ever, and fill the buffer for
 * all others. Then the producer is replaced, and all that the old one had is refused, in order.
 * Between the two nothing is taken, so that nothing overtakes what is refused.
 */
final class ChannelPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelPublisher.class);

  /** How long a new producer may take to know its topics before it is used all the same. */
  private static final Duration WARM = Duration.ofMillis(500);

  private static final long LOOK_NANOS = 10_000_000;

  private final Map<String, Object> settings;
  private final Places places;
  private final ChannelCounters counters;
  private final Seldom complaint = new Seldom();
  private final Map<String, AtomicInteger> underWay = new ConcurrentHashMap<>();
  private volatile @Nullable Producer<byte[], byte[]> producer;
  private boolean closed;

  ChannelPublisher(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      Places places,
      ChannelCounters counters) {
    this.settings = ChannelSettings.producer(bootstrap, "holdfast-publish-" + edgeId, overrides);
    this.producer = make();
    this.places = places;
    this.counters = counters;
  }

  private Producer<byte[], byte[]> make() {
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Asks for the topic's metadata ahead of the first event. */
  void prime(Namespace namespace) {
    Producer<byte[], byte[]> current = producer;
    underWay.computeIfAbsent(namespace.topic(), topic -> new AtomicInteger());
    if (current != null) {
      boolean unused = knows(current, namespace.topic());
    }
  }

  private static boolean knows(Producer<byte[], byte[]> one, String topic) {
    try {
      return !one.partitionsFor(topic).isEmpty();
    } catch (TimeoutException e) {
      return false; // it never waits; the answer comes in the background
    }
  }

  /** A topic was deleted: what is on its way there is refused. Waits a moment. */
  synchronized void gone(String topic) {
    AtomicInteger there = underWay.get(topic);
    Producer<byte[], byte[]> old = producer;
    if (closed || old == null || there == null || there.get() == 0) {
      return;
    }
    LOG.atWarn()
        .log("topic {} was deleted with {} events on their way; they are refused", topic, there);
    Producer<byte[], byte[]> next = make();
    warm(next, topic);
    producer = null;
    old.close(Duration.ZERO);
    producer = next;
  }

  private void warm(Producer<byte[], byte[]> one, String except) {
    long until = System.nanoTime() + WARM.toNanos();
    for (String topic : underWay.keySet()) {
      while (places.partitions(topic) > 0
          && !topic.equals(except)
          && !knows(one, topic)
          && System.nanoTime() < until) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
  }

  /** See {@link Channels#publish}. */
  void publish(
      Namespace namespace,
      ChannelName channel,
      String msgId,
      String from,
      RawJson payload,
      Channels.Published outcome) {
    byte[] key = utf8(channel.key());
    String topic = namespace.topic();
    int partitions = places.partitions(topic);
    if (partitions == 0) {
      if (places.missing(topic)) {
        outcome.refused(ErrorCode.UNAVAILABLE, TopicWatch.missing(topic));
      } else {
        outcome.refused(ErrorCode.OVERLOADED, "the channel's topic is not known yet");
      }
      return;
    }
    List<Header> headers =
        List.of(
            new RecordHeader(ChannelHeaders.MSG_ID, utf8(msgId)),
            new RecordHeader(ChannelHeaders.FROM, utf8(from)));
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            namespace.topic(),
            KeyHashes.partition(namespace.keys(), key, partitions),
            key,
            payload.utf8(),
            headers);
    send(namespace, record, outcome);
  }

  private void send(
      Namespace namespace, ProducerRecord<byte[], byte[]> record, Channels.Published outcome) {
    Producer<byte[], byte[]> current = producer;
    if (current == null) {
      outcome.refused(ErrorCode.OVERLOADED, "events are not taken for a moment");
      return;
    }
    AtomicInteger there = underWay.computeIfAbsent(namespace.topic(), topic -> new AtomicInteger());
    there.incrementAndGet();
    try {
      var unused =
          current.send(
              record,
              (metadata, failure) -> {
                there.decrementAndGet();
                if (failure == null) {
                  counters.published.increment();
                  outcome.stored();
                } else {
                  refuse(namespace, failure, outcome);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      // The latter when it was replaced meanwhile; the callback is not called then.
      there.decrementAndGet();
      refuse(namespace, e, outcome);
    }
  }

  synchronized void close(Duration timeout) {
    Producer<byte[], byte[]> last = producer;
    closed = true;
    if (last != null) {
      last.close(timeout);
    }
  }

  private void refuse(Namespace namespace, Exception failure, Channels.Published outcome) {
    if (failure instanceof TimeoutException) {
      outcome.refused(ErrorCode.OVERLOADED, "the channel's topic cannot take more for now");
      return;
    }
    complain(namespace, failure);
    if (failure instanceof RecordTooLargeException) {
      outcome.refused(ErrorCode.PAYLOAD_TOO_LARGE, "the channel's topic takes no event so large");
    } else if (failure instanceof AuthorizationException) {
      outcome.refused(ErrorCode.FORBIDDEN, "this server may not write to the channel's topic");
    } else {
      outcome.refused(ErrorCode.NOT_STORED, "Kafka refused the record");
    }
  }

  private void complain(Namespace namespace, Exception cause) {
    if (complaint.now()) {
      LOG.atWarn()
          .setCause(cause)
          .log("an event for topic {} could not be written", namespace.topic());
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
