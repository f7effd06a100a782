package dev.holdfast.edge.channel;

import java.util.Optional;
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
  /** Who is told what became of a topic. */
  interface Changes {
    /**
     * It is another one now.
     *
     * @param gone why it cannot be read; null when it can
     */
    void another(String topic, @Nullable String gone);

    /** It has more partitions, and channels lie elsewhere. */
    void grown(String topic);
  }

  private static final long LOOK_MS = 2_000;
  private static final long SILENCE_MS = 1_000;
  private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);

  private final TopicLookup lookup;
  private final Places places;
  private final LongSupplier ticker;
  private final Changes changes;
  private @Nullable TimeoutException silence;
  private long silentUntilMs;
  private long lookAtMs;

  /**
   * @param changes told
   */
  TopicWatch(TopicLookup lookup, Places places, LongSupplier ticker, Changes changes) {
    this.lookup = lookup;
    this.places = places;
    this.ticker = ticker;
    this.changes = changes;
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
        changes.another(name, missing(name));
      }
    } else {
      tell(name, topic);
    }
    return topic;
  }

  private void tell(String name, Topic topic) {
    switch (places.found(name, topic, ticker.getAsLong())) {
      case SAME -> {}
      case GROWS ->
          LOG.atWarn()
              .log(
                  "topic {} has {} partitions now; subscribers move in {} s",
                  name,
                  topic.partitions(),
                  Places.GRACE_MS / 1_000);
      case GROWN -> changes.grown(name);
      case ANOTHER -> {
        LOG.atWarn().log("topic {} was made anew", name);
        changes.another(name, null);
      }
    }
  }

  /** The next look around is due. */
  void lookSoon() {
    lookAtMs = 0;
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
