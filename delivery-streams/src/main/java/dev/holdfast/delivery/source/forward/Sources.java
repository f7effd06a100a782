package dev.holdfast.delivery.source.forward;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.source.SourceSpec;
import dev.holdfast.metrics.Scrape;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sources of this process, each with a forwarder of its own, so that none waits for another.
 */
public final class Sources implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sources.class);

  private final SourceClients clients;
  private final List<SourceForwarder> forwarders;

  /**
   * Checks that the topics are there; nothing runs yet.
   *
   * @param scrape where the metrics of all sources together are added
   * @param fatal told when a source ends with an error that no retry can mend
   * @throws StartRefused when a topic is missing or Kafka does not say so
   */
  public Sources(
      List<SourceSpec> specs,
      SourceClients clients,
      Scrape scrape,
      CompletableFuture<String> fatal) {
    this.clients = clients;
    SourceCounters counters = new SourceCounters();
    check(specs);
    this.forwarders =
        specs.stream().map(spec -> new SourceForwarder(spec, clients, counters, fatal)).toList();
    scrape.counter(
        "holdfast.streams.source.forwarded",
        "Records of sources that were copied into the log",
        counters.forwarded);
    scrape.counter(
        "holdfast.streams.source.skipped", "Records of sources without a value", counters.skipped);
    scrape.tally(
        "holdfast.streams.source.dead.letters",
        "Records of sources that cannot be messages",
        counters.deadLetters,
        "reason");
    scrape.counter(
        "holdfast.streams.source.failures",
        "Times that a source stopped and began again from its position",
        counters.failures);
    scrape.gauge(
        "holdfast.streams.source.lag.records",
        "Records of sources not yet copied, of the partition with the most",
        this::lag);
  }

  private void check(List<SourceSpec> specs) {
    if (specs.isEmpty()) {
      return;
    }
    try (Admin admin = clients.admin()) {
      for (SourceSpec spec : specs) {
        if (TopicLook.at(admin, spec.topic()).isEmpty()) {
          throw new StartRefused(
              "topic "
                  + spec.topic()
                  + " of --source does not exist; make it (`holdfast kafka topics --create`), or"
                  + " correct the name");
        }
      }
    } catch (KafkaException e) {
      throw new StartRefused("the topics of --source cannot be looked at: " + e.getMessage(), e);
    }
  }

  public void start() {
    forwarders.forEach(SourceForwarder::start);
  }

  /**
   * Waits until every partition of every source has a position, so that nothing that is written
   * from now on is passed over.
   */
  public void awaitBegun(Duration patience) throws InterruptedException, TimeoutException {
    CompletableFuture<?>[] all =
        forwarders.stream().map(SourceForwarder::begun).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(all).get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("nobody completes it with an error", e);
    }
  }

  private double lag() {
    return forwarders.stream().mapToDouble(SourceForwarder::lag).max().orElse(0);
  }

  /** Each commits what is done and leaves its group. */
  @Override
  public void close() {
    forwarders.forEach(SourceForwarder::end);
    try {
      for (SourceForwarder forwarder : forwarders) {
        forwarder.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      LOG.warn("interrupted while sources end; some records will be copied again");
    }
  }
}
