package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Channels while edges and the broker die under load: every event once, in order, to everybody. */
@Tag("campaign")
final class ChannelKillIT {
  private static final Logger LOG = LoggerFactory.getLogger(ChannelKillIT.class);
  private static final int CHANNELS = 6;
  private static final int RATE = 60;

  /** Messages that are stored when an edge dies, and whose publishers do not know it. */
  private static final int UNHEARD = 10;

  /** Seconds that all clients' edge stands still. */
  private static final int PAUSE_S = 3;

  @Test
  @DisplayName("kill -9 of an edge: who was there goes on elsewhere and misses and repeats nothing")
  void edgeKilled() throws Exception {
    try (Cluster cluster = cluster("channel-kill");
        ChannelTopic topic = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of());
        ChannelLoad load = load(cluster, 200)) {
      load.start(RATE);
      load.flow(2 * RATE);
      load.loseAnswers(cluster.edgeUri(0), UNHEARD);
      cluster.edge(0).kill9();
      load.flow(2 * RATE);
      cluster.edge(0).start();
      load.flow(RATE);
      assertThat(end(load, topic).repeats()).isGreaterThanOrEqualTo(UNHEARD);
      assertThat(load.reconnects()).isGreaterThanOrEqualTo(100);
    }
  }

  @Test
  @Tag("soak")
  @DisplayName("the same again and again, with edges that are paused too")
  void edgesKilled() throws Exception {
    try (Cluster cluster = cluster("channel-kills");
        ChannelTopic topic = ChannelTopic.create(cluster.bootstrap(), "rooms", 3, Map.of());
        ChannelLoad load = load(cluster, 300)) {
      load.start(RATE);
      for (int round = 0; round < 6; round++) {
        load.flow(2 * RATE);
        load.loseAnswers(cluster.edgeUri(round % 2), UNHEARD);
        cluster.edge(round % 2).kill9();
        load.flow(2 * RATE);
        cluster.edge(round % 2).start();
        load.flow(RATE);
        cluster.edge((round + 1) % 2).pause();
        TimeUnit.SECONDS.sleep(PAUSE_S);
        cluster.edge((round + 1) % 2).resume();
      }
      assertThat(end(load, topic).repeats()).isGreaterThanOrEqualTo(6 * UNHEARD);
    }
  }

  @Test
  @DisplayName("a broker that dies and comes back: nothing is lost, and nothing is said to be")
  void brokerRestarted() throws Exception {
    try (Cluster cluster = cluster("channel-broker");
        ChannelTopic topic = ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of());
        ChannelLoad load = load(cluster, 100)) {
      load.start(RATE);
      load.flow(2 * RATE);
      cluster.broker().kill9();
      cluster.broker().start();
      load.flow(2 * RATE);
      cluster.broker().terminate();
      cluster.broker().start();
      load.flow(2 * RATE);
      end(load, topic);
    }
  }

  private static ChannelLoad.Log end(ChannelLoad load, ChannelTopic topic)
      throws InterruptedException {
    load.settle(Duration.ofSeconds(60));
    ChannelLoad.Log log = load.log();
    LOG.info(
        "{}: {} sent, {} in the log and {} of them again; {} reconnects",
        topic,
        load.sent(),
        log.messages(),
        log.repeats(),
        load.reconnects());
    assertThat(load.violations()).isEmpty();
    assertThat(log.messages()).as("each that was sent is there").isEqualTo(load.sent());
    return log;
  }

  private static Cluster cluster(String name) throws InterruptedException {
    return Cluster.start(
        ClusterSpec.named(name)
            .withReplicas("a")
            .withEdgeOptions("--namespace", "rooms:publish=clients"));
  }

  private static ChannelLoad load(Cluster cluster, int subscribers) {
    return new ChannelLoad(
        1, cluster.bootstrap(), "rooms", subscribers, CHANNELS, cluster.edgeUris());
  }
}
