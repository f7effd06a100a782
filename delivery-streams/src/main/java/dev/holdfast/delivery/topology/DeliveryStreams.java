package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.metrics.Scrape;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.TaskId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** One running Kafka Streams application, from its checks before the start to its end. */
public final class DeliveryStreams implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeliveryStreams.class);

  /** A thread that dies this often within {@link #THREAD_WINDOW} will not recover by itself. */
  private static final int THREAD_DEATHS = 20;

  private static final Duration THREAD_WINDOW = Duration.ofMinutes(5);

  private final DeliveryConfig config;
  private final InstantSource clock;
  private final LogWriter log;
  private final StateCheck check;
  private final KafkaStreams streams;
  private final Counters counters = new Counters();
  private final CountDownLatch running = new CountDownLatch(1);
  private final CompletableFuture<String> fatal;
  private final Deque<Long> deaths = new ArrayDeque<>();
  private volatile @Nullable PairWatch pair;

  /**
   * Checks topics and offsets and makes the application; nothing runs yet.
   *
   * @param fatal completes with the reason when the application has stopped by itself
   * @param scrape where the application's metrics are added
   * @throws StartRefused with what is wrong and what to do
   */
  public DeliveryStreams(
      DeliveryConfig config, InstantSource clock, CompletableFuture<String> fatal, Scrape scrape) {
    this.fatal = fatal;
    this.config = config;
    this.clock = clock;
    Log events = checked();
    this.log = new LogWriter(config.bootstrap(), config.kafka());
    this.check = new StateCheck(events.topicId(), config.bootstrap(), config.kafka());
    this.streams =
        new KafkaStreams(
            DeliveryTopology.build(
                () ->
                    new DeliveryProcessor(
                        log, clock, check, events.topicId(), events.ends(), counters)),
            StreamsSettings.of(config));
    streams.setUncaughtExceptionHandler(this::threadDied);
    streams.setGlobalStateRestoreListener(
        new StreamsMetrics(scrape, counters, streams, this::pairState));
    streams.setStateListener(
        (next, before) -> {
          LOG.atInfo()
              .addKeyValue("application", config.applicationId())
              .addKeyValue("from", before)
              .log("delivery-streams is {}", next);
          if (next == KafkaStreams.State.RUNNING) {
            running.countDown();
          } else if (next == KafkaStreams.State.ERROR) {
            fatal.complete("Kafka Streams stopped with an error; see the log above");
          }
        });
  }

  /** The log as it was found: its topic's id, and where each partition ended. */
  private record Log(String topicId, Map<Integer, Long> ends) {}

  private Log checked() {
    Map<String, Object> props = new java.util.HashMap<>(config.kafka());
    props.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrap());
    props.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000");
    try (TopicsAdmin topics = new TopicsAdmin(config.bootstrap(), config.kafka());
        Admin admin = Admin.create(props)) {
      tell(topics.check(config.groupProtocol()));
      TopicDescription events =
          admin
              .describeTopics(List.of(Topics.EVENTS.topic()))
              .allTopicNames()
              .get()
              .get(Topics.EVENTS.topic());
      if (events == null) {
        throw new StartRefused("topic " + Topics.EVENTS.topic() + " is gone");
      }
      OffsetGuard guard =
          new OffsetGuard(admin, config.applicationId(), events.partitions().size());
      return new Log(events.topicId().toString(), guard.check());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        throw new StartRefused("a topic is missing; run `holdfast topics init` first", e);
      }
      throw new StartRefused(
          "Kafka at " + config.bootstrap() + " did not answer: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartRefused("interrupted while starting", e);
    }
  }

  private static void tell(List<TopicsAdmin.Finding> findings) {
    findings.stream()
        .filter(f -> !f.refusal())
        .forEach(f -> LOG.atLevel(f.trial() ? Level.INFO : Level.WARN).log("{}", f.text()));
    List<String> refusals =
        findings.stream().filter(TopicsAdmin.Finding::refusal).map(f -> f.text()).toList();
    if (!refusals.isEmpty()) {
      throw new StartRefused(String.join(". Also: ", refusals));
    }
  }

  public void start() {
    streams.start();
    pair = PairWatch.start(config, clock);
  }

  /**
   * Of the hot pair: {@code both}; {@code alone} when the other application has had no member for
   * 30 s; {@code none} when it never ran, or nobody has looked yet.
   */
  public String pair() {
    return pairState().wire();
  }

  private Pair.State pairState() {
    PairWatch watch = pair;
    return watch == null ? Pair.State.NONE : watch.state();
  }

  /** Waits until every assigned task runs for the first time. */
  public void awaitRunning(Duration patience) throws InterruptedException, TimeoutException {
    if (!running.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new TimeoutException(
          "delivery-streams was not running after " + patience.toSeconds() + " s");
    }
  }

  /** Whether it serves its share of the log now. */
  public boolean ready() {
    return streams.state() == KafkaStreams.State.RUNNING;
  }

  /** Whether it lives; rebalancing and restoring count. */
  public boolean alive() {
    return !fatal.isDone() && !streams.state().hasCompletedShutdown();
  }

  private StreamThreadExceptionResponse threadDied(Throwable error) {
    counters.threadDeaths.increment();
    for (Throwable e = error; e != null; e = e.getCause()) {
      if (e instanceof DeliveryRules.UnknownRules
          || e instanceof StateContradictsLog
          || e instanceof Partition.UnknownFormat
          || e instanceof InvalidOffsetException
          || e instanceof AuthorizationException
          || e instanceof AuthenticationException
          || e instanceof VirtualMachineError
          || e instanceof LinkageError) {
        return stop(e);
      }
    }
    synchronized (deaths) {
      long now = clock.millis();
      deaths.addLast(now);
      while (now - deaths.getFirst() > THREAD_WINDOW.toMillis()) {
        deaths.removeFirst();
      }
      if (deaths.size() > THREAD_DEATHS) {
        return stop(error);
      }
    }
    LOG.atWarn()
        .setCause(error)
        .addKeyValue("application", config.applicationId())
        .log("a stream thread died uncommitted; another takes its place");
    return StreamThreadExceptionResponse.REPLACE_THREAD;
  }

  private StreamThreadExceptionResponse stop(Throwable why) {
    LOG.atError()
        .setCause(why)
        .addKeyValue("application", config.applicationId())
        .log("delivery-streams stops");
    String text = why.getMessage();
    fatal.complete(text == null ? why.toString() : text);
    return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
  }

  @Override
  public void close() {
    PairWatch watch = pair;
    if (watch != null) {
      watch.close();
    }
    // Leaving hands the tasks over at once; staying would hold them until the session ends (6 s).
    boolean closed =
        streams.close(
            CloseOptions.timeout(Duration.ofSeconds(20))
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    log.close();
    if (closed) {
      check.behind().forEach(this::throwAway);
    }
  }

  /** Without its directory a task is restored from the beginning of its changelog. */
  private void throwAway(TaskId task) {
    Path dir = config.dataDir().resolve(config.applicationId()).resolve(task.toString());
    try {
      Utils.delete(dir.toFile());
      LOG.warn("threw the state in {} away; the next start restores it from its changelog", dir);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + dir + "; delete it by hand", e);
    }
  }
}
