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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events to channels' topics, with the headers that readers know a repeat by (D11). Its
 * producer never waits, so that it may be called under a connection's lock; its buffer is the
 * bound.
 */
final class ChannelPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelPublisher.class);

  private final Producer<byte[], byte[]> producer;
  private final Places places;
  private final ChannelCounters counters;
  private final Seldom complaint = new Seldom();

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
    byte[] key = utf8(channel.key());
    int partitions = places.partitions(namespace.topic());
    if (partitions == 0) {
      outcome.refused(ErrorCode.OVERLOADED, "the channel's topic is not known yet");
      return false;
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
    try {
      var unused =
          producer.send(
              record,
              (metadata, failure) -> {
                if (failure == null) {
                  counters.published.increment();
                  outcome.stored();
                } else {
                  refuse(namespace, failure, outcome);
                }
              });
    } catch (KafkaException e) {
      refuse(namespace, e, outcome);
    }
    return true;
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
