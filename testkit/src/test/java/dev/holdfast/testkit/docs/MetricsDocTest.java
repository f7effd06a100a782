package dev.holdfast.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.channel.ChannelCounters;
import dev.holdfast.edge.metrics.EdgeMetrics;
import dev.holdfast.edge.presence.PresenceCounters;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.Sessions;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** docs/metrics.md and an edge's page name the same metrics; ObservabilityIT sees to streams. */
class MetricsDocTest {
  @Test
  void anEdgesPageIsTheTables() throws Exception {
    EdgeCounters counters = new EdgeCounters();
    counters.httpAnswers.count("/healthz 200");
    try (EdgeMetrics metrics = new EdgeMetrics("edge-1", counters, new Sessions())) {
      metrics.channels(new ChannelCounters());
      metrics.ready(() -> true);
      metrics.presence(new PresenceCounters());
      metrics.queues(() -> 0, () -> 0, () -> 0, () -> 0);
      String page = new String(metrics.page(), StandardCharsets.UTF_8);
      MetricsPage told = MetricsPage.of(page);
      assertThat(told.described()).isEqualTo(MetricsDoc.read("## Edge", "## JVM"));
    }
  }

  @Test
  void noLabelIsAbsentFromTheTables() throws Exception {
    assertThat(MetricsDoc.read("## Edge"))
        .contains("holdfast_edge_closes_total code reason")
        .contains("holdfast_edge_connections ");
  }
}
