package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.Node;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Guarantees 1 to 3 while processes are killed under load. */
final class KillIT {
  private static final Logger LOG = LoggerFactory.getLogger(KillIT.class);
  private static final long SEED = Long.getLong("holdfast.kill.seed", 20261129);
  private static final int USERS = 200;
  private static final int RATE = 500;

  /** Longer than the 6 s session, so that a paused instance is thrown out and wakes as a zombie. */
  private static final long PAUSE_S = 9;

  /**
   * While one of two instances is dead, half of the messages flow: as many as are offered in 4 s
   * have come only after the other one has taken over.
   */
  private static final int TAKEOVER_S = 4;

  @Test
  @DisplayName(
      "R-5.1 R-5.3 R-5.4: kill -9 of streams and edges, and a zombie, lose and repeat nothing")
  void killsLoseNothing() throws InterruptedException {
    LOG.info("seed {} (-Dholdfast.kill.seed=N repeats it)", SEED);
    try (Cluster cluster = Cluster.start(ClusterSpec.named("kill"));
        Traffic traffic = new Traffic(SEED, USERS, RATE, cluster.edgeUris());
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      traffic.start();
      traffic.flow(2);
      killAndRestart("streams", traffic, cluster.streams(0), TAKEOVER_S);
      killAndRestart("edge", traffic, cluster.edge(0), 2);
      killAndRestart("edge", traffic, cluster.edge(1), 2);
      long from = System.nanoTime();
      cluster.streams(1).pause();
      TimeUnit.SECONDS.sleep(PAUSE_S);
      cluster.streams(1).resume();
      traffic.flow(TAKEOVER_S);
      report("paused streams", traffic, from);
      traffic.settle(Duration.ofMinutes(2));
      Ledger ledger = traffic.ledger();
      LOG.info("{} offered, {} accepted", traffic.offered(), ledger.accepted());
      assertThat(ledger.accepted()).isEqualTo((int) traffic.offered());
      assertThat(ledger.violations()).isEmpty();
      assertThat(ledger.missing()).isEmpty();
      assertThat(kafka.seqsGivenTwice()).isEmpty();
    }
  }

  private static void killAndRestart(String what, Traffic traffic, Node node, int seconds)
      throws InterruptedException {
    long from = System.nanoTime();
    node.kill9();
    traffic.flow(seconds);
    node.start();
    traffic.flow(2);
    report("killed " + what, traffic, from);
  }

  private static void report(String what, Traffic traffic, long from) {
    long to = System.nanoTime();
    LOG.info(
        "{}: longest time without a message, per client {}; send to hand-over {}",
        what,
        Traffic.summary(traffic.longestGaps(from, to)),
        Traffic.summary(traffic.delays(from, to)));
  }
}
