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
import org.apache.kafka.common.Metric;
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
 *
 * <p>An event that was written to a partition which its channel has left meanwhile, since the topic
 * has more of them by now, is written again where the channel is before it counts as stored.
 */
final class ChannelPublisher {
  /**
   * Milliseconds that what is known of a topic may be old when an event is acknowledged. Some
   * seconds less than {@link Places#GRACE_MS}, since a broker may hear late of more partitions.
   */
  static final long KNOWN_MS = 7_000;

  private static final Logger LOG = LoggerFactory.getLogger(ChannelPublisher.class);

  /** How long a new producer may take to know its topics before it is used all the same. */
  private static final Duration WARM = Duration.ofMillis(500);

  private static final long LOOK_NANOS = 10_000_000;

  private final Map<String, Object> settings;
  private final Places places;
  private final ChannelCounters counters;
  private final Seldom complaint = new Seldom();
  private final Map<String, AtomicInteger> underWay = new ConcurrentHashMap<>();
  private final Map<String, Integer> heard = new ConcurrentHashMap<>();
  private volatile @Nullable Live live;
  private boolean closed;

  ChannelPublisher(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      Places places,
      ChannelCounters counters) {
    this.settings = ChannelSettings.producer(bootstrap, "holdfast-publish-" + edgeId, overrides);
    this.live = make();
    this.places = places;
    this.counters = counters;
  }

  /** The producer in use, and how many seconds old what it knows of topics is. */
  private record Live(Producer<byte[], byte[]> producer, Metric age) {}

  private Live make() {
    Producer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    return new Live(producer, ChannelSettings.metric(producer.metrics(), "metadata-age"));
  }

  /** Asks for the topic's metadata ahead of the first event. */
  void prime(Namespace namespace) {
    Live current = live;
    underWay.computeIfAbsent(namespace.topic(), topic -> new AtomicInteger());
    if (current != null) {
      boolean unused = knows(current.producer(), namespace.topic());
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
    heard.remove(topic);
    AtomicInteger there = underWay.get(topic);
    Live old = live;
    if (closed || old == null || there == null || there.get() == 0) {
      return;
    }
    LOG.atWarn()
        .log("topic {} was deleted with {} events on their way; they are refused", topic, there);
    Live next;
    try {
      next = make();
    } catch (KafkaException e) {
      LOG.atError().setCause(e).log("no other producer could be made; they wait");
      return;
    }
    warm(next.producer(), topic);
    live = null;
    old.producer().close(Duration.ZERO);
    live = next;
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
    String topic = namespace.topic();
    if (partitions(topic) == 0) {
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
    send(namespace, utf8(channel.key()), payload.utf8(), headers, outcome);
  }

  private void send(
      Namespace namespace,
      byte[] key,
      byte[] value,
      List<Header> headers,
      Channels.Published outcome) {
    Live current = live;
    if (current == null) {
      outcome.refused(ErrorCode.OVERLOADED, "events are not taken for a moment");
      return;
    }
    String topic = namespace.topic();
    int partitions = partitions(topic);
    if (partitions == 0) {
      outcome.refused(ErrorCode.OVERLOADED, "the channel's topic is not known any more");
      return;
    }
    int partition = KeyHashes.partition(namespace.keys(), key, partitions);
    AtomicInteger there = underWay.computeIfAbsent(topic, unused -> new AtomicInteger());
    there.incrementAndGet();
    try {
      var unused =
          current
              .producer()
              .send(
                  new ProducerRecord<>(topic, partition, key, value, headers),
                  (metadata, failure) -> {
                    there.decrementAndGet();
                    if (failure != null) {
                      refuse(namespace, failure, outcome);
                    } else if (!fresh(current, topic)) {
                      outcome.refused(ErrorCode.OVERLOADED, "Kafka does not tell about its topics");
                    } else if (moved(namespace, key, partition)) {
                      send(namespace, key, value, headers, outcome);
                    } else {
                      counters.published.increment();
                      outcome.stored();
                    }
                  });
    } catch (KafkaException | IllegalStateException e) {
      // The latter when it was replaced meanwhile; the callback is not called then.
      there.decrementAndGet();
      refuse(namespace, e, outcome);
    }
  }

  /** Partitions of a topic as far as anybody here has heard; 0: nobody has. */
  private int partitions(String topic) {
    int known = places.partitions(topic);
    return known == 0 ? 0 : Math.max(known, heard.getOrDefault(topic, 0));
  }

  /** Whether a producer has heard of a topic lately; notes how many partitions it has. */
  private boolean fresh(Live one, String topic) {
    try {
      heard.put(topic, one.producer().partitionsFor(topic).size());
    } catch (KafkaException e) {
      return false;
    }
    return one.age().metricValue() instanceof Double seconds && seconds * 1_000 <= KNOWN_MS;
  }

  private boolean moved(Namespace namespace, byte[] key, int partition) {
    int partitions = partitions(namespace.topic());
    return partitions > 0 && KeyHashes.partition(namespace.keys(), key, partitions) != partition;
  }

  synchronized void close(Duration timeout) {
    Live last = live;
    closed = true;
    if (last != null) {
      last.producer().close(timeout);
    }
  }

  private void refuse(Namespace namespace, Exception failure, Channels.Published outcome) {
    if (failure instanceof TimeoutException) {
      heard.remove(namespace.topic()); // it may be another one by now, with fewer partitions
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
