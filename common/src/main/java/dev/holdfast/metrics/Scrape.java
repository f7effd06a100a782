package dev.holdfast.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * One process's (or, in {@code dev}, one node's) metrics as a page in Prometheus' text format.
 * Everything is read when the page is made; between two pages nothing happens. Thread-safe.
 */
public final class Scrape implements AutoCloseable {
  /** The page's type. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** A page is kept for so long, so that asking often costs no more than asking seldom. */
  private static final long KEPT_NANOS = 500_000_000L;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Labels common;
  private byte[] page = new byte[0];
  private long madeAtNanos;

  /**
   * @param label on every metric, like {@code edge}
   * @param value its value, the same while the process lives
   */
  public Scrape(String label, String value) {
    common = Labels.of(label, value);
    registry.config().commonTags(label, value);
    JvmMetrics.bind(registry);
  }

  /** A sum that only grows; its name on the page ends in {@code _total}. */
  public void counter(String name, String help, LongAdder sum, String... labels) {
    counter(name, help, sum::sum, labels);
  }

  /** The same, read from {@code sum}. */
  public void counter(String name, String help, LongSupplier sum, String... labels) {
    // Micrometer holds the object weakly and the function strongly.
    FunctionCounter.builder(name, this, any -> sum.getAsLong())
        .description(help)
        .tags(Tags.of(labels))
        .register(registry);
  }

  /** A value that goes up and down. */
  public void gauge(String name, String help, DoubleSupplier value, String... labels) {
    Gauge.builder(name, value::getAsDouble)
        .description(help)
        .tags(Tags.of(labels))
        .register(registry);
  }

  /**
   * A counter by names.
   *
   * @param labels names of the labels; a counted name has a value for each, with spaces between
   */
  public void tally(String name, String help, Tally tally, String... labels) {
    String prometheus = name.replace('.', '_');
    Collector collector =
        () -> {
          CounterSnapshot.Builder all = CounterSnapshot.builder().name(prometheus).help(help);
          tally
              .sums()
              .forEach(
                  (key, sum) ->
                      all.dataPoint(
                          CounterSnapshot.CounterDataPointSnapshot.builder()
                              .labels(labelled(labels, key))
                              .value(sum)
                              .build()));
          return all.build();
        };
    registry.getPrometheusRegistry().register(collector);
  }

  private Labels labelled(String[] names, String key) {
    String[] values = key.split(" ", names.length);
    Labels labels = common;
    for (int i = 0; i < names.length; i++) {
      labels = labels.add(names[i], i < values.length ? values[i] : "");
    }
    return labels;
  }

  /** A histogram of seconds. */
  public void latency(String name, String help, Latency latency) {
    String prometheus = name.replace('.', '_');
    double[] bounds = Latency.bounds();
    Collector collector =
        () ->
            HistogramSnapshot.builder()
                .name(prometheus)
                .help(help)
                .dataPoint(
                    HistogramSnapshot.HistogramDataPointSnapshot.builder()
                        .labels(common)
                        .classicHistogramBuckets(
                            ClassicHistogramBuckets.of(bounds, latency.counts()))
                        .sum(latency.sumSeconds())
                        .build())
                .build();
    registry.getPrometheusRegistry().register(collector);
  }

  /** The page, made now or less than half a second ago. */
  public synchronized byte[] page() {
    long now = System.nanoTime();
    if (page.length == 0 || now - madeAtNanos > KEPT_NANOS) {
      page = registry.scrape().getBytes(StandardCharsets.UTF_8);
      madeAtNanos = now;
    }
    return page;
  }

  @Override
  public void close() {
    registry.close();
  }
}
