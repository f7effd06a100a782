package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two independent streams applications on one log (D14): the death of one is not noticed. */
final class HotPairIT {
  private static final Logger LOG = LoggerFactory.getLogger(HotPairIT.class);
  private static final int RATE = 500;

  /** Under this many records behind, an application has caught up: half a second of the load. */
  private static final long CAUGHT_UP = 500;

  /** Longer than the 6 s session. */
  private static final long PAUSE_S = 9;

  /** Traffic between the faults. */
  private static final int SECONDS = 5;

  @Test
  @Tag("campaign")
  @DisplayName(
      "D14: either of the pair dies, one sleeps as a zombie, and nothing is lost or repeated")
  void eitherMayDie() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("pair").withReplicas("a", "b"));
        Traffic traffic = new Traffic(14, 200, RATE, cluster.edgeUris());
        KafkaLog kafka = new KafkaLog(cluster.bootstrap());
        Lag lag = new Lag(cluster.bootstrap())) {
      traffic.start();
      traffic.flow(SECONDS);
      for (int i = 0; i < 2; i++) {
        caughtUp(lag);
        long from = System.nanoTime();
        cluster.streams(i).kill9();
        traffic.flow(SECONDS);
        report("killed one of the pair", traffic, from);
        cluster.streams(i).start();
      }
      caughtUp(lag);
      long from = System.nanoTime();
      cluster.streams(1).pause();
      TimeUnit.SECONDS.sleep(PAUSE_S);
      report("one of the pair sleeps", traffic, from);
      cluster.streams(1).resume();
      caughtUp(lag);
      traffic.settle(Duration.ofSeconds(90));
      Ledger ledger = traffic.ledger();
      assertThat(ledger.violations()).isEmpty();
      assertThat(ledger.accepted()).isEqualTo((int) traffic.offered());
      assertThat(kafka.seqsGivenTwice()).isEmpty();
    }
  }

  /** One that is still behind could not stand in for the other. */
  private static void caughtUp(Lag lag) {
    lag.awaitBelow(CAUGHT_UP, "holdfast-delivery-a", "holdfast-delivery-b");
  }

  private static void report(String what, Traffic traffic, long from) {
    long to = System.nanoTime();
    LOG.info(
        "{}: send to hand-over {}; longest time without a message, per client {}",
        what,
        Traffic.summary(traffic.delays(from, to)),
        Traffic.summary(traffic.longestGaps(from, to)));
  }
}
