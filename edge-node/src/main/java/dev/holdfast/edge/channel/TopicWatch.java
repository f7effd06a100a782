package dev.holdfast.edge.channel;

import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Kafka about topics, and notices when one is not any more what it was. While Kafka does not
 * answer, whoever asks within {@link #SILENCE_MS} of a time-out is told so at once; otherwise each
 * of many would wait for the time-outs of all before him. One thread.
 */
final class TopicWatch implements AutoCloseable {
  private static final long LOOK_MS = 2_000;
  private static final long SILENCE_MS = 1_000;
  private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);

  private final TopicLookup lookup;
  private final Places places;
  private final LongSupplier ticker;
  private final BiConsumer<String, @Nullable String> changed;
  private @Nullable TimeoutException silence;
  private long silentUntilMs;
  private long lookAtMs;

  /**
   * @param changed told the name of a topic that is another one now, and why it cannot be read, or
   *     null
   */
  TopicWatch(
      TopicLookup lookup,
      Places places,
      LongSupplier ticker,
      BiConsumer<String, @Nullable String> changed) {
    this.lookup = lookup;
    this.places = places;
    this.ticker = ticker;
    this.changed = changed;
  }

  /**
   * Asks Kafka, unless it has just left a question without an answer.
   *
   * @throws KafkaException when there is no answer
   */
  <T> T asked(Supplier<T> question) {
    TimeoutException before = silence;
    if (before != null && ticker.getAsLong() < silentUntilMs) {
      throw before;
    }
    try {
      T answer = question.get();
      silence = null;
      return answer;
    } catch (TimeoutException e) {
      silence = e;
      silentUntilMs = ticker.getAsLong() + SILENCE_MS;
      throw e;
    }
  }

  /** See {@link TopicLookup#end}. */
  long end(TopicPartition partition) {
    return asked(() -> lookup.end(partition));
  }

  /**
   * Looks a topic up; null when there is none. Who reads it is told when it is another one.
   *
   * @throws KafkaException when there is no answer
   */
  @Nullable Topic look(String name) {
    Topic topic = asked(() -> Optional.ofNullable(lookup.topic(name))).orElse(null);
    if (topic == null) {
      if (places.forget(name)) {
        LOG.atWarn().log("{}; its channels end", missing(name));
        changed.accept(name, missing(name));
      }
    } else if (places.found(name, topic, ticker.getAsLong())) {
      LOG.atWarn().log("topic {} was made anew or has more partitions: who follows it moves", name);
      changed.accept(name, null);
    }
    return topic;
  }

  /** Looks now and then whether topics are still what they were. */
  void lookAround() {
    long nowMs = ticker.getAsLong();
    if (nowMs < lookAtMs) {
      return;
    }
    lookAtMs = nowMs + LOOK_MS;
    for (String name : places.names()) {
      try {
        Topic unused = look(name);
      } catch (KafkaException e) {
        LOG.atDebug().setCause(e).log("topic {} cannot be looked at", name);
        return;
      }
    }
  }

  static String missing(String topic) {
    return "topic " + topic + " does not exist";
  }

  @Override
  public void close() {
    lookup.close();
  }
}
