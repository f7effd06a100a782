package dev.holdfast.delivery.topology;

import dev.holdfast.metrics.Scrape;
import dev.holdfast.topic.Topics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.processor.StateRestoreListener;

/**
 * The application's metrics, each explained in {@code docs/metrics.md}. What Kafka Streams knows is
 * read when the page is made, from its own metrics and without a request to the broker. Called by
 * restoring threads and by whoever makes the page.
 */
final class StreamsMetrics implements StateRestoreListener {
  /** Records that are still to be restored, by changelog partition; absent when it is done. */
  private final Map<TopicPartition, Long> remaining = new ConcurrentHashMap<>();

  private final Counters counters;
  private final KafkaStreams streams;

  /**
   * @param pair what is known of the hot pair
   */
  StreamsMetrics(
      Scrape scrape, Counters counters, KafkaStreams streams, Supplier<Pair.State> pair) {
    this.counters = counters;
    this.streams = streams;
    work(scrape);
    state(scrape);
    for (Pair.State state : Pair.State.values()) {
      scrape.gauge(
          "holdfast.streams.pair",
          "1 for what is known of the hot pair",
          () -> pair.get() == state ? 1 : 0,
          "state",
          state.wire());
    }
  }

  private void work(Scrape scrape) {
    scrape.counter("holdfast.streams.events", "Records of the log taken", counters.events);
    scrape.counter("holdfast.streams.deliveries", "Deliveries to edges", counters.deliveries);
    scrape.counter(
        "holdfast.streams.repeats", "Messages dropped as known already", counters.repeats);
    scrape.counter(
        "holdfast.streams.forwarded", "Records moved to their partition", counters.forwarded);
    scrape.tally(
        "holdfast.streams.dead.letters",
        "Records that could not be read",
        counters.deadLetters,
        "reason");
    scrape.counter(
        "holdfast.streams.thread.deaths",
        "Stream threads that died uncommitted",
        counters.threadDeaths);
    scrape.counter(
        "holdfast.streams.restored.records",
        "Changelog records read to restore stores",
        counters.restored);
  }

  private void state(Scrape scrape) {
    for (KafkaStreams.State state : KafkaStreams.State.values()) {
      scrape.gauge(
          "holdfast.streams.state",
          "1 for the state that Kafka Streams is in",
          () -> streams.state() == state ? 1 : 0,
          "state",
          state.name());
    }
    scrape.gauge(
        "holdfast.streams.ready",
        "1 when it serves its share of the log",
        () -> streams.state() == KafkaStreams.State.RUNNING ? 1 : 0);
    scrape.gauge(
        "holdfast.streams.tasks", "Tasks that run here", () -> tasks(true), "type", "active");
    scrape.gauge(
        "holdfast.streams.tasks", "Tasks that run here", () -> tasks(false), "type", "standby");
    scrape.gauge(
        "holdfast.streams.lag.records",
        "Records of the log not yet taken, of the partition with the most",
        this::lag);
    scrape.gauge(
        "holdfast.streams.restoring.stores", "Stores that are being restored", remaining::size);
    scrape.gauge(
        "holdfast.streams.restore.remaining.records",
        "Changelog records still to be read, at most",
        () -> remaining.values().stream().mapToLong(Long::longValue).sum());
  }

  private int tasks(boolean active) {
    int tasks = 0;
    for (ThreadMetadata thread : streams.metadataForLocalThreads()) {
      tasks += active ? thread.activeTasks().size() : thread.standbyTasks().size();
    }
    return tasks;
  }

  private double lag() {
    double most = 0;
    for (Map.Entry<MetricName, ? extends Metric> metric : streams.metrics().entrySet()) {
      MetricName name = metric.getKey();
      if (name.name().equals("records-lag")
          && Topics.EVENTS.topic().equals(name.tags().get("topic"))
          && metric.getValue().metricValue() instanceof Number lag
          && lag.doubleValue() > most) {
        most = lag.doubleValue();
      }
    }
    return most;
  }

  @Override
  public void onRestoreStart(TopicPartition partition, String store, long from, long end) {
    remaining.put(partition, Math.max(0, end - from));
  }

  @Override
  public void onBatchRestored(TopicPartition partition, String store, long last, long records) {
    counters.restored.add(records);
    remaining.computeIfPresent(partition, (p, left) -> Math.max(0, left - records));
  }

  @Override
  public void onRestoreEnd(TopicPartition partition, String store, long restored) {
    remaining.remove(partition);
  }

  @Override
  public void onRestoreSuspended(TopicPartition partition, String store, long restored) {
    remaining.remove(partition);
  }
}
