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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events to channels' topics, with the headers that readers know a repeat by (D11). Its
 * producer never waits, so that it may be called under a connection's lock; its buffer is the
 * bound.
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

  private final Producer<byte[], byte[]> producer;
  private final Places places;
  private final ChannelCounters counters;
  private final Seldom complaint = new Seldom();
  private final Map<String, Integer> heard = new ConcurrentHashMap<>();
  private final Metric age;

  ChannelPublisher(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      Places places,
      ChannelCounters counters) {
    this.producer =
        new KafkaProducer<>(
            ChannelSettings.producer(bootstrap, "holdfast-publish-" + edgeId, overrides),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    this.age = ChannelSettings.metric(producer.metrics(), "metadata-age");
    this.places = places;
    this.counters = counters;
  }

  /** Asks for the topic's metadata ahead of the first event. */
  void prime(Namespace namespace) {
    try {
      var unused = producer.partitionsFor(namespace.topic());
    } catch (TimeoutException e) {
      // It never waits; the answer comes in the background.
    }
  }

  /**
   * See {@link Channels#publish}.
   *
   * @return false when the topic has to be looked up first; the outcome was told
   */
  boolean publish(
      Namespace namespace,
      ChannelName channel,
      String msgId,
      String from,
      RawJson payload,
      Channels.Published outcome) {
    if (partitions(namespace.topic()) == 0) {
      outcome.refused(ErrorCode.OVERLOADED, "the channel's topic is not known yet");
      return false;
    }
    List<Header> headers =
        List.of(
            new RecordHeader(ChannelHeaders.MSG_ID, utf8(msgId)),
            new RecordHeader(ChannelHeaders.FROM, utf8(from)));
    send(namespace, utf8(channel.key()), payload.utf8(), headers, outcome);
    return true;
  }

  private void send(
      Namespace namespace,
      byte[] key,
      byte[] value,
      List<Header> headers,
      Channels.Published outcome) {
    int partition = KeyHashes.partition(namespace.keys(), key, partitions(namespace.topic()));
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(namespace.topic(), partition, key, value, headers);
    try {
      var unused =
          producer.send(
              record,
              (metadata, failure) -> {
                if (failure != null) {
                  refuse(namespace, failure, outcome);
                } else if (!fresh(namespace.topic())) {
                  outcome.refused(ErrorCode.OVERLOADED, "Kafka does not tell about its topics");
                } else if (moved(namespace, key, partition)) {
                  send(namespace, key, value, headers, outcome);
                } else {
                  counters.published.increment();
                  outcome.stored();
                }
              });
    } catch (KafkaException e) {
      heard.remove(namespace.topic()); // it may be another one by now, with fewer partitions
      refuse(namespace, e, outcome);
    }
  }

  /** Partitions of a topic as far as anybody here has heard; 0: nobody has. */
  private int partitions(String topic) {
    int known = places.partitions(topic);
    return known == 0 ? 0 : Math.max(known, heard.getOrDefault(topic, 0));
  }

  /** Whether the producer has heard of a topic lately; notes how many partitions it has. */
  private boolean fresh(String topic) {
    try {
      heard.put(topic, producer.partitionsFor(topic).size());
    } catch (TimeoutException e) {
      return false;
    }
    return age.metricValue() instanceof Double seconds && seconds * 1_000 <= KNOWN_MS;
  }

  private boolean moved(Namespace namespace, byte[] key, int partition) {
    int partitions = partitions(namespace.topic());
    return partitions > 0 && KeyHashes.partition(namespace.keys(), key, partitions) != partition;
  }

  void close(Duration timeout) {
    producer.close(timeout);
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
