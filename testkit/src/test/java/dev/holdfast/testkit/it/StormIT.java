package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.HoldfastProcess;
import dev.holdfast.testkit.process.Storm;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Many clients at once against one edge with a small heap and the limits as they are by default.
 */
final class StormIT {
  private static final Logger LOG = LoggerFactory.getLogger(StormIT.class);
  private static final Duration DECIDED = Duration.ofMinutes(3);

  @Test
  @Tag("soak")
  @DisplayName("R-6.4: 30 000 connections at once against -Xmx256m: refused or served")
  void thirtyThousandAtOnce() throws Exception {
    run(15_000, 500);
  }

  @Test
  @Tag("campaign")
  @DisplayName("R-6.4: 4 000 connections at once against -Xmx64m: refused or served")
  void fourThousandAtOnce() throws Exception {
    run(2_000, 200);
  }

  private static void run(int each, int abusive) throws Exception {
    int heapMb = each > 10_000 ? 256 : 64;
    int port = TestPorts.free();
    try (Cluster cluster =
            Cluster.start(
                ClusterSpec.named("storm")
                    .withReplicas("a")
                    .withEdges(0)
                    .withSizes(new TopicSizes(6, 4, 1)));
        HoldfastProcess edge =
            HoldfastProcess.start(
                "storm-edge-" + heapMb,
                List.of("-Xmx" + heapMb + "m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError"),
                List.of(
                    "edge",
                    "--bootstrap",
                    cluster.bootstrap(),
                    "--port",
                    String.valueOf(port),
                    "--edge-id",
                    "edge-storm"))) {
      edge.awaitReady(Duration.ofSeconds(60));
      long from = System.nanoTime();
      try (Storm one = Storm.start(port, each - abusive / 2, 5, 21);
          Storm two = Storm.start(port, each - abusive / 2, 5, 22);
          Storm abuser = Storm.start(port, abusive, abusive, 23)) {
        await()
            .atMost(DECIDED)
            .untilAsserted(() -> assertThat(List.of(one, two, abuser)).allMatch(Storm::decided));
        LOG.info("decided after {} s", (System.nanoTime() - from) / 1_000_000_000);
        for (Storm storm : List.of(one, two, abuser)) {
          LOG.info("{}", storm.last());
        }
        nobodyIsLeftWithoutAnAnswer(one, two, abuser);
        theServedGetMessages(port, List.of(one, two));
        theEdgeIsWell(edge, heapMb);
      }
      newcomersAreServed(port);
      LOG.info("edge's log: {}", edge.log());
      assertThat(Files.readString(edge.log()))
          .doesNotContain("OutOfMemoryError", "Exception in thread", "cannot go on");
    }
  }

  /**
   * Thousands of clients in one process may themselves be late, also with their hello (4408), and
   * the kernel drops some who wait for long before they are accepted.
   */
  private static void nobodyIsLeftWithoutAnAnswer(Storm one, Storm two, Storm abuser) {
    for (Storm storm : List.of(one, two)) {
      int answered = storm.number("welcomed") + storm.number("503");
      int unanswered = Math.max(0, storm.number("dropped"));
      assertThat(storm.number("welcomed")).as(storm.last()).isGreaterThan(200);
      assertThat(unanswered).as(storm.last()).isLessThan(answered / 10);
      assertThat(storm.last())
          .doesNotContain("without-retry-after", "stuck", "lost-")
          .doesNotContainPattern("close-(?!4408)");
    }
    assertThat(abuser.number("welcomed")).as(abuser.last()).isBetween(0, 100);
  }

  private static void theServedGetMessages(int port, List<Storm> storms) throws Exception {
    try (EdgeClient sender = EdgeClient.welcomed(uri(port), Map.of("clientId", "sender"))) {
      for (Storm storm : storms) {
        List<String> served = storm.served();
        assertThat(served).hasSize(40);
        for (String user : served) {
          sender.sendTo(user, "to-" + user, "still there?");
        }
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> storm.number("messages") >= served.size());
        assertThat(storm.number("messages")).as(storm.last()).isEqualTo(served.size());
        assertThat(storm.number("welcomed")).isEqualTo(storm.number("open"));
      }
    }
  }

  private static void theEdgeIsWell(HoldfastProcess edge, int heapMb) throws Exception {
    String threads = jcmd(edge, "Thread.print");
    int io = Math.max(2, Runtime.getRuntime().availableProcessors());
    assertThat(Pattern.compile("\"XNIO-\\d+ I/O-").matcher(threads).results().count())
        .isEqualTo(io);
    assertThat(threads).contains("holdfast-ticker-");
    String unused = jcmd(edge, "GC.run");
    String heap = jcmd(edge, "GC.heap_info");
    LOG.info("after the storm: {}", heap.lines().skip(1).limit(2).toList());
    Matcher used = Pattern.compile("used (\\d+)K").matcher(heap);
    assertThat(used.find()).isTrue();
    assertThat(Long.parseLong(used.group(1)) / 1_024).isLessThan(heapMb * 3L / 4);
  }

  private static String jcmd(HoldfastProcess edge, String what)
      throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), String.valueOf(edge.pid()), what)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  private static void newcomersAreServed(int port) throws InterruptedException {
    try (EdgeClient late =
        EdgeClient.welcomed(uri(port), Map.of("clientId", "late", "lastSeq", 0))) {
      late.sendTo("late", "1", "to myself");
      assertThat(late.messages(1, Duration.ofSeconds(15))).hasSize(1);
    }
  }

  private static URI uri(int port) {
    return URI.create("ws://127.0.0.1:" + port + "/v1/ws");
  }
}
