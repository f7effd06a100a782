package dev.holdfast.edge.egress;

import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.DeliveryHeaders;
import dev.holdfast.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads this edge's partition of {@code holdfast.deliveries} from its end on. A neighbour's records
 * are told by one header and skipped unparsed. Whatever may have cost deliveries (offset out of
 * range, a failing consumer) ends the incarnation: the end is resolved anew, then the edge takes a
 * new name, then every connection is closed and comes back (D7).
 */
public final class DeliveryReader {
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Failures in a row after which the thread gives up and says so. */
  private static final int PATIENCE = 60;

  private static final Logger LOG = LoggerFactory.getLogger(DeliveryReader.class);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final TopicPartition partition;
  private final EdgeIdentity identity;
  private final Sessions sessions;
  private final EdgeCounters counters;
  private final InstantSource clock;
  private final Consumer<String> fatal;
  private final DeliveryRouter router;
  private final Thread thread;
  private byte[] edgeKey;
  private int failures;
  private @Nullable KafkaException lost;
  private volatile boolean topicGone;
  private volatile boolean closing;

  /**
   * @param fatal told when the thread cannot go on
   */
  public DeliveryReader(
      String bootstrap,
      Map<String, String> overrides,
      EdgeIdentity identity,
      Sessions sessions,
      EventSink sink,
      Queries queries,
      EdgeCounters counters,
      InstantSource clock,
      Consumer<String> fatal) {
    String edgeId = identity.current().id();
    this.consumer =
        new KafkaConsumer<>(
            EgressSettings.consumer(bootstrap, "holdfast-egress-" + edgeId, overrides),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    this.partition = new TopicPartition(Topics.DELIVERIES.topic(), identity.current().partition());
    this.identity = identity;
    this.sessions = sessions;
    this.counters = counters;
    this.clock = clock;
    this.fatal = fatal;
    this.router = new DeliveryRouter(sessions, sink, queries, counters);
    this.edgeKey = identity.current().keyBytes();
    this.thread = new Thread(this::run, "holdfast-egress-" + edgeId);
  }

  /** Resolves the end of the partition, then starts the thread. */
  public void start() {
    long end = seekToEnd();
    LOG.atDebug().log("reading {} from offset {}", partition, end);
    thread.start();
  }

  /** Deliveries of the partition that were not yet taken, as the last fetch saw it; any thread. */
  public double lag() {
    double most = 0;
    for (Map.Entry<MetricName, ? extends Metric> metric : consumer.metrics().entrySet()) {
      if (metric.getKey().name().equals("records-lag")
          && metric.getValue().metricValue() instanceof Number lag) {
        most = lag.doubleValue() > most ? lag.doubleValue() : most;
      }
    }
    return most;
  }

  /**
   * Whether {@code holdfast.deliveries} exists, as somebody found out; any thread. A consumer that
   * reads a topic which is not there asks for it in a tight loop, so meanwhile nobody reads.
   */
  public void topicIsThere(boolean there) {
    topicGone = !there;
  }

  /** Stops the thread; waits a moment for it. */
  public void close() {
    closing = true;
    if (thread.getState() == Thread.State.NEW) {
      consumer.close();
      return;
    }
    consumer.wakeup();
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closing) {
        pollOnce();
      }
    } catch (RuntimeException | Error e) {
      if (!closing) {
        LOG.atError().setCause(e).log("the egress thread failed");
        sessions.restartAll();
        fatal.accept("the egress thread failed: " + e);
      }
    } finally {
      consumer.close();
    }
  }

  private void pollOnce() {
    try {
      if (topicGone) {
        waitForTopic();
        return;
      }
      if (lost != null) {
        renew(lost);
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        take(record.headers(), record.key(), record.value(), record.timestamp());
      }
      failures = 0;
    } catch (WakeupException | InterruptException e) {
      if (!closing) {
        throw e;
      }
    } catch (KafkaException e) {
      if (++failures > PATIENCE) {
        throw e;
      }
      if (lost != null) {
        pause();
      }
      lost = e;
    }
  }

  private void waitForTopic() {
    if (!consumer.assignment().isEmpty()) {
      consumer.assign(List.of());
      lost = new KafkaException("topic " + partition.topic() + " was deleted");
      LOG.atError()
          .log(
              "topic {} does not exist any more: nobody gets anything until it is made again"
                  + " (holdfast topics init)",
              partition.topic());
    }
    pause();
  }

  private void take(
      Headers headers, byte @Nullable [] key, byte @Nullable [] value, long causedMs) {
    Header edge = headers.lastHeader(DeliveryHeaders.EDGE);
    if (edge == null || value == null || !Arrays.equals(edge.value(), edgeKey)) {
      return;
    }
    Delivery.Kind kind = Delivery.Kind.ofWire(text(headers, DeliveryHeaders.KIND));
    String seq = text(headers, DeliveryHeaders.SEQ);
    String user = key == null ? "" : new String(key, StandardCharsets.UTF_8);
    router.route(kind, user, text(headers, DeliveryHeaders.CONN), number(seq), value);
    if (kind == Delivery.Kind.MESSAGE) {
      counters.toSocket.recordMs(clock.millis() - causedMs);
    }
  }

  private void renew(KafkaException cause) {
    LOG.atError()
        .setCause(cause)
        .log("deliveries may be lost: taking a new incarnation and closing all connections");
    seekToEnd();
    counters.incarnationsLost.increment();
    edgeKey = identity.renew(clock.millis()).keyBytes();
    sessions.restartAll();
    lost = null;
  }

  private long seekToEnd() {
    consumer.assign(List.of(partition));
    consumer.seekToEnd(List.of(partition));
    return consumer.position(partition);
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String text(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null
        ? ""
        : new String(header.value(), StandardCharsets.UTF_8);
  }

  private static long number(String decimal) {
    try {
      return decimal.isEmpty() ? 0 : Long.parseLong(decimal);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
