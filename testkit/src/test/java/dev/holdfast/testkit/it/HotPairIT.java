package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two independent streams applications on one log (D14): the death of one is not noticed. */
final class HotPairIT {
  private static final Logger LOG = LoggerFactory.getLogger(HotPairIT.class);
  private static final int RATE = 500;

  @Test
  @DisplayName(
      "D14: either of the pair dies, or sleeps as a zombie, and nothing is lost or repeated")
  void eitherMayDie() throws InterruptedException {
    try (Cluster cluster = Cluster.start(ClusterSpec.named("pair").withReplicas("a", "b"));
        Traffic traffic = new Traffic(14, 200, RATE, cluster.edgeUris());
        KafkaLog kafka = new KafkaLog(cluster.bootstrap())) {
      traffic.start();
      flow(traffic, 10);
      for (int i = 0; i < 2; i++) {
        long from = System.nanoTime();
        cluster.streams(i).kill9();
        flow(traffic, 10);
        LOG.info("killed one of the pair: {}", delays(traffic, from));
        cluster.streams(i).start();
        flow(traffic, 10);
      }
      long from = System.nanoTime();
      cluster.streams(0).pause();
      TimeUnit.SECONDS.sleep(12);
      LOG.info("one of the pair sleeps: {}", delays(traffic, from));
      cluster.streams(0).resume();
      flow(traffic, 10);
      traffic.settle(Duration.ofSeconds(90));
      Ledger ledger = traffic.ledger();
      assertThat(ledger.violations()).isEmpty();
      assertThat(ledger.accepted()).isEqualTo((int) traffic.offered());
      assertThat(kafka.seqsGivenTwice()).isEmpty();
    }
  }

  private static String delays(Traffic traffic, long from) {
    return Traffic.summary(traffic.delays(from, System.nanoTime()));
  }

  private static void flow(Traffic traffic, int seconds) {
    long before = traffic.handed();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> traffic.handed() >= before + (long) seconds * RATE * 8 / 10);
  }
}
