package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.Namespace;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How often the log is read for those who catch up, in records. */
class ReadOnceTest {
  private static final Namespace ROOMS = Namespace.parse("t:publish=clients");
  private static final int EVENTS = 3_000;

  private final ChannelLimits limits = limits();
  private final ModelLog log = new ModelLog(limits.repeatRecords());
  private final ChannelCounters counters = new ChannelCounters();
  private final ModelEdge edge = new ModelEdge(ROOMS, log, limits, new Room(1 << 20), counters);

  private static ChannelLimits limits() {
    ChannelLimits all = ChannelLimits.DEFAULT;
    return new ChannelLimits(
        100,
        1_000,
        1_000,
        20 * 405,
        20,
        100_000,
        all.repeatRecords(),
        1L << 30,
        30_000,
        all.historyEvents(),
        all.historyBytes(),
        all.historyScan(),
        all.historyQueries());
  }

  private ModelClient client(String key) {
    ModelClient client = new ModelClient(log, ROOMS, key, limits);
    client.connect(edge, 0, counters);
    for (int i = 0; i < 10; i++) {
      turn(100);
      client.drain(100);
    }
    client.disconnect();
    turn(100);
    return client;
  }

  private void turn(int records) {
    edge.follow(100, 1_000);
    edge.reload(100, records);
    edge.passTime(10);
  }

  private void write() {
    for (int i = 0; i < EVENTS; i++) {
      log.append("a", "a-" + i, false);
    }
    for (int i = 0; i < 100; i++) {
      turn(100);
    }
  }

  @Test
  @DisplayName("who takes little at a time has every record read for him once")
  void slow() {
    ModelClient slow = client("a");
    write();
    slow.connect(edge, 0, counters);
    catchUp(List.of(slow), new int[] {5});
    assertThat(counters.recordsReplayed.sum()).isBetween(EVENTS - 300L, EVENTS + 300L);
  }

  @Test
  @DisplayName(
      "several at different paces: nobody has the log read from far back for what he has not had")
  void several() {
    List<ModelClient> all = List.of(client("a"), client("a"), client("a"), client("b"));
    write();
    all.forEach(client -> client.connect(edge, 0, counters));
    catchUp(all, new int[] {5, 7, 30, 100});
    assertThat(counters.recordsReplayed.sum()).isLessThan(15 * EVENTS);
  }

  private void catchUp(List<ModelClient> clients, int[] frames) {
    for (int i = 0; i < 5_000; i++) {
      turn(50);
      for (int c = 0; c < clients.size(); c++) {
        clients.get(c).drain(frames[c]);
      }
      if (i > 10 && edge.idle() && clients.stream().allMatch(ModelClient::drained)) {
        clients.forEach(ModelClient::settled);
        return;
      }
    }
    throw new AssertionError("nobody comes to an end");
  }
}
