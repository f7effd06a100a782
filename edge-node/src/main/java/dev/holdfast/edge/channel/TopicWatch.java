package dev.holdfast.edge.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
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

  /** What is known of topics. */
  interface Known extends AutoCloseable {
    /** See {@link TopicLookup#topic}. */
    @Nullable Topic topic(String name);

    /** See {@link TopicLookup#begin}. */
    LogStart begin(TopicPartition partition);

    /** See {@link TopicLookup#end}. */
    long end(TopicPartition partition);

    @Override
    void close();
  }

  private static final long LOOK_MS = 2_000;
  private static final long SILENCE_MS = 1_000;
  private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);

  private final Known lookup;
  private final Places places;
  private final LongSupplier ticker;
  private final Changes changes;
  private final Unseen unseen = new Unseen();
  private @Nullable TimeoutException silence;
  private long silentUntilMs;
  private long lookAtMs;

  /** The topic that the last look without an answer was at. */
  private String unanswered = "";

  /**
   * @param changes told
   */
  TopicWatch(Known lookup, Places places, LongSupplier ticker, Changes changes) {
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
    if (before != null && silent(ticker.getAsLong())) {
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

  private boolean silent(long nowMs) {
    return silence != null && nowMs < silentUntilMs;
  }

  /** See {@link TopicLookup#begin}. */
  LogStart begin(TopicPartition partition) {
    return asked(() -> lookup.begin(partition));
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

  /**
   * Looks now and then whether topics are still what they were. One that cannot be looked at keeps
   * no other from it; only where Kafka does not answer, or does not know this edge, the rest waits
   * for the next time, which begins behind the one that there was no answer about.
   */
  void lookAround() {
    long nowMs = ticker.getAsLong();
    if (nowMs < lookAtMs || silent(nowMs)) {
      return;
    }
    lookAtMs = nowMs + LOOK_MS;
    Map<String, String> failed = new TreeMap<>();
    for (String name : inTurn()) {
      try {
        Topic unused = look(name);
      } catch (TimeoutException | AuthenticationException | InterruptException e) {
        LOG.atDebug().setCause(e).log("topics cannot be looked at");
        unanswered = name;
        return;
      } catch (KafkaException e) {
        failed.put(name, String.valueOf(e.getMessage()));
      }
    }
    String line = unseen.line(failed, nowMs);
    if (line != null) {
      LOG.warn(line);
    }
  }

  /** All topics, from the one behind that without an answer on. */
  private List<String> inTurn() {
    NavigableSet<String> names = new TreeSet<>(places.names());
    List<String> turn = new ArrayList<>(names.tailSet(unanswered, false));
    turn.addAll(names.headSet(unanswered, true));
    return turn;
  }

  static String missing(String topic) {
    return "topic " + topic + " does not exist";
  }

  @Override
  public void close() {
    lookup.close();
  }
}
