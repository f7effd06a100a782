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
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
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
 * has more of them by now, is written again where the channel is before it counts as stored. What
 * comes meanwhile is refused for that moment, so that a sender's events keep their order ({@link
 * UnderWay}).
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
  private static final String CHANGES = "the channel's topic changes; again in a moment";

  private final Map<String, Object> settings;
  private final Places places;
  private final ChannelCounters counters;
  private final Seldom complaint = new Seldom();
  private final Map<String, UnderWay> underWay = new ConcurrentHashMap<>();
  private final Map<String, Integer> heard = new ConcurrentHashMap<>();
  private volatile @Nullable TopicProducer live;
  private boolean closed;

  ChannelPublisher(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      Places places,
      ChannelCounters counters) {
    this.settings = ChannelSettings.producer(bootstrap, "holdfast-publish-" + edgeId, overrides);
    this.live = new TopicProducer(settings);
    this.places = places;
    this.counters = counters;
  }

  /** Asks for the topic's metadata ahead of the first event. */
  void prime(Namespace namespace) {
    TopicProducer current = live;
    underWay.computeIfAbsent(namespace.topic(), topic -> new UnderWay());
    if (current != null) {
      int unused = current.partitions(namespace.topic());
    }
  }

  /** A topic was deleted: what is on its way there is refused. Waits a moment. */
  synchronized void gone(String topic) {
    heard.remove(topic);
    UnderWay there = underWay.get(topic);
    TopicProducer old = live;
    if (closed || old == null || there == null || there.count() == 0) {
      return;
    }
    LOG.atWarn()
        .log(
            "topic {} was deleted with {} events on their way; they are refused",
            topic,
            there.count());
    TopicProducer next;
    try {
      next = new TopicProducer(settings);
    } catch (KafkaException e) {
      LOG.atError().setCause(e).log("no other producer could be made; they wait");
      return;
    }
    warm(next, topic);
    live = null;
    old.close(Duration.ZERO);
    live = next;
  }

  private void warm(TopicProducer one, String except) {
    long until = System.nanoTime() + WARM.toNanos();
    for (String topic : underWay.keySet()) {
      while (places.partitions(topic) > 0
          && !topic.equals(except)
          && one.partitions(topic) == 0
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
    UnderWay there = underWay.computeIfAbsent(topic, unused -> new UnderWay());
    int partitions = partitions(topic);
    if (partitions == 0 || !there.begin(partitions)) {
      outcome.refused(ErrorCode.OVERLOADED, CHANGES);
      return;
    }
    List<Header> headers =
        List.of(
            new RecordHeader(ChannelHeaders.MSG_ID, utf8(msgId)),
            new RecordHeader(ChannelHeaders.FROM, utf8(from)));
    new Sent(namespace, utf8(channel.key()), payload.utf8(), headers, there, outcome)
        .send(partitions);
  }

  /** An event that counts as under way until its outcome is told. */
  private final class Sent implements Callback {
    private final Namespace namespace;
    private final byte[] key;
    private final byte[] value;
    private final List<Header> headers;
    private final UnderWay there;
    private final Channels.Published outcome;
    private int partition;
    private @Nullable TopicProducer by;
    private boolean moved;

    Sent(
        Namespace namespace,
        byte[] key,
        byte[] value,
        List<Header> headers,
        UnderWay there,
        Channels.Published outcome) {
      this.namespace = namespace;
      this.key = key;
      this.value = value;
      this.headers = headers;
      this.there = there;
      this.outcome = outcome;
    }

    private int home(int partitions) {
      return KeyHashes.partition(namespace.keys(), key, partitions);
    }

    void send(int partitions) {
      TopicProducer current = live;
      if (current == null) {
        refuse(ErrorCode.OVERLOADED, "events are not taken for a moment");
        return;
      }
      partition = home(partitions);
      by = current;
      try {
        current.send(new ProducerRecord<>(namespace.topic(), partition, key, value, headers), this);
      } catch (KafkaException | IllegalStateException e) {
        // The latter when it was replaced meanwhile; nothing is called back then.
        refuse(e);
      }
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception failure) {
      if (failure != null) {
        refuse(failure);
        return;
      }
      if (!fresh(by, namespace.topic())) {
        refuse(ErrorCode.OVERLOADED, "Kafka does not tell about its topics");
        return;
      }
      int partitions = partitions(namespace.topic());
      if (partitions > 0 && home(partitions) != partition) {
        again(partitions);
        return;
      }
      there.end();
      counters.published.increment();
      outcome.stored();
    }

    /** Its channel has left. */
    private void again(int partitions) {
      moved = true;
      if (there.broken()) {
        refuse(ErrorCode.OVERLOADED, CHANGES);
      } else {
        send(partitions);
      }
    }

    private void refuse(ErrorCode code, String why) {
      if (moved) {
        there.breakOff();
      }
      there.end();
      outcome.refused(code, why);
    }

    private void refuse(Exception failure) {
      if (failure instanceof TimeoutException) {
        heard.remove(namespace.topic()); // it may be another one by now, with fewer partitions
      } else {
        complain(namespace, failure);
      }
      NotWritten told = NotWritten.of(failure);
      refuse(told.code(), told.why());
    }
  }

  /** Partitions of a topic as far as anybody here has heard; 0: nobody has. */
  private int partitions(String topic) {
    int known = places.partitions(topic);
    return known == 0 ? 0 : Math.max(known, heard.getOrDefault(topic, 0));
  }

  /** Whether a producer has heard of a topic lately; notes how many partitions it has. */
  private boolean fresh(@Nullable TopicProducer one, String topic) {
    if (one == null) {
      return false;
    }
    try {
      int partitions = one.partitions(topic);
      if (partitions == 0) {
        return false;
      }
      heard.put(topic, partitions);
      return one.informed(KNOWN_MS);
    } catch (KafkaException e) {
      return false;
    }
  }

  synchronized void close(Duration timeout) {
    TopicProducer last = live;
    closed = true;
    if (last != null) {
      last.close(timeout);
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
