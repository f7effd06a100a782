package dev.holdfast.delivery.topology;

import dev.holdfast.delivery.DeliveryConfig;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then whether the other one of the hot pair has members, and tells the operator when
 * it has none (D14): until then all seems well, and the next death costs a gap. On a thread of its
 * own; {@link #state} may be called by any.
 */
final class PairWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PairWatch.class);
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Set<GroupState> NO_MEMBER = EnumSet.of(GroupState.EMPTY, GroupState.DEAD);

  private final String own;
  private final String other;
  private final InstantSource clock;
  private final Admin admin;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Pair pair = new Pair();
  private volatile Pair.State state = Pair.State.NONE;
  // Of the watch's own thread.
  private boolean alerted;
  private boolean blind;

  private PairWatch(DeliveryConfig config, InstantSource clock) {
    Map<String, Object> props = new HashMap<>(config.kafka());
    props.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrap());
    props.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "10000");
    props.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000");
    this.own = config.applicationId();
    this.other = config.otherApplicationId();
    this.clock = clock;
    this.admin = Admin.create(props);
    this.thread = new Thread(this::run, "holdfast-pair-watch");
    thread.setDaemon(true);
  }

  static PairWatch start(DeliveryConfig config, InstantSource clock) {
    PairWatch watch = new PairWatch(config, clock);
    watch.thread.start();
    return watch;
  }

  private void run() {
    try {
      do {
        look();
      } while (!closed.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closing, in the middle of a look
    }
  }

  /** As of the last look; {@link Pair.State#NONE} before the first. */
  Pair.State state() {
    return state;
  }

  private void look() throws InterruptedException {
    try {
      Pair.Sight sight = sight();
      if (blind) {
        blind = false;
        LOG.info("the pair is watched again");
      }
      Instant now = clock.instant();
      boolean alert = pair.look(sight, now);
      state = pair.state();
      if (alert) {
        alerted = true;
        tell(now);
      } else if (alerted && state != Pair.State.ALONE) {
        alerted = false;
        LOG.atInfo()
            .addKeyValue("application", other)
            .log("the pair no longer has only one: {}", state.wire());
      }
    } catch (ExecutionException | KafkaException e) {
      cannotSee(e);
    }
  }

  private void tell(Instant now) {
    Instant since = pair.aloneSince();
    LOG.atWarn()
        .addKeyValue("application", own)
        .addKeyValue("missing", other)
        .addKeyValue("seconds", since == null ? 0 : Duration.between(since, now).toSeconds())
        .log(
            "the pair has only one: no instance of {} runs. Nothing is lost or late yet, but if {}"
                + " dies too, deliveries stop until one is back. Start an instance of {} with its"
                + " --data; if it is not to come back, delete its group and the topic {}",
            other,
            own,
            other,
            DeliveryTopology.changelog(other));
  }

  /** Once for each time that it cannot look; what was seen last stands. */
  private void cannotSee(Exception e) {
    if (blind || closed.getCount() == 0) {
      return;
    }
    blind = true;
    Throwable why = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
    String todo =
        why instanceof AuthorizationException
            ? "allow this user Describe on that group and on its changelog topic"
            : "it goes on by itself when Kafka answers";
    LOG.atWarn()
        .addKeyValue("application", other)
        .log("whether the pair has both is not known now: {}; {}", why.toString(), todo);
  }

  private Pair.Sight sight() throws ExecutionException, InterruptedException {
    for (GroupListing group : admin.listGroups().all().get()) {
      if (group.groupId().equals(other)) {
        return group.groupState().filter(NO_MEMBER::contains).isPresent()
            ? Pair.Sight.NO_MEMBER
            : Pair.Sight.MEMBERS;
      }
    }
    if (!changelogExists()) {
      return Pair.Sight.NEVER_THERE;
    }
    // Its group was forgotten after a week without members, or is not shown to this user. The
    // latter fails here.
    admin.listConsumerGroupOffsets(other).partitionsToOffsetAndMetadata().get();
    return Pair.Sight.NO_MEMBER;
  }

  private boolean changelogExists() throws ExecutionException, InterruptedException {
    try {
      admin.describeTopics(List.of(DeliveryTopology.changelog(other))).allTopicNames().get();
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return false;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    thread.interrupt();
    admin.close(Duration.ofSeconds(1));
  }
}
