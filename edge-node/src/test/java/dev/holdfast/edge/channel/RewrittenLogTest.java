package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A log that was cut off and went on differently, where little is left that would show it. */
class RewrittenLogTest {
  private static final Namespace ROOMS = Namespace.parse("t:publish=clients");
  private static final ChannelLimits LIMITS = ChannelLimits.DEFAULT;

  private final ModelLog log = new ModelLog(LIMITS.repeatRecords());
  private final ChannelCounters counters = new ChannelCounters();
  private final ModelClient client = new ModelClient(log, ROOMS, "a", LIMITS);
  private ModelEdge edge = edge();

  private ModelEdge edge() {
    return new ModelEdge(ROOMS, log, LIMITS, new Room(1 << 20), counters);
  }

  private void write(int count) {
    for (int i = 0; i < count; i++) {
      log.append("a", null, false);
    }
  }

  private void turns() {
    for (int i = 0; i < 20; i++) {
      edge.follow(100, 100);
      edge.reload(100, 100);
      edge.passTime(50);
      client.drain(100);
    }
  }

  /** The client has had ten events, and stands behind them. */
  private Position away() {
    client.connect(edge, 0, counters);
    turns();
    write(10);
    turns();
    client.disconnect();
    turns();
    return new Position(log.tag(), 0, log.end(), log.epoch(log.end() - 1));
  }

  private void comesBack() {
    client.connect(edge, 0, counters);
    turns();
    client.settled();
  }

  private long begun(String outcome) {
    return counters.begun.sums().getOrDefault(outcome, 0L);
  }

  /** Another leader wrote other events up to the same end. */
  private void rewrite() {
    log.cut(log.end() - 3);
    write(3);
  }

  @Test
  @DisplayName("to the same end, and then all of it was retained away: not recovered")
  void retainedAway() {
    Position stood = away();
    rewrite();
    log.retain(log.end());
    edge = edge();
    assertThat(past(stood).lost).isEqualTo(Reasons.TRUNCATED);
    comesBack();
    assertThat(begun(Reasons.TRUNCATED)).isEqualTo(1);
  }

  @Test
  @DisplayName("nothing was cut off, all of it was retained away, and its leader stayed: recovered")
  void retainedOnly() {
    Position stood = away();
    log.retain(log.end());
    edge = edge();
    assertThat(past(stood).lost).isNull();
    comesBack();
    assertThat(begun("recovered")).isEqualTo(1);
  }

  @Test
  @DisplayName("nothing is kept: positions have the leader's epoch, to be compared with later")
  void fromNothing() {
    write(10);
    log.newLeader();
    log.retain(log.end());
    Position given = Objects.requireNonNull(Position.parse(past(null).position));
    assertThat(given.next()).isEqualTo(10);
    assertThat(given.epoch()).isEqualTo(2);
  }

  @Test
  @DisplayName("a log that has had no record yet is what it was, whoever leads it")
  void fromTheBeginning() {
    client.connect(edge, 0, counters);
    turns();
    client.disconnect();
    log.newLeader();
    edge = edge();
    comesBack();
    write(3);
    turns();
    client.settled();
    assertThat(begun("recovered")).isEqualTo(1);
  }

  @Test
  @DisplayName("to the same end: the history says so too, and its position is not of the old log")
  void history() {
    Position stood = away();
    rewrite();
    edge = edge();
    Page page = past(stood);
    assertThat(page.lost).isEqualTo(Reasons.TRUNCATED);
    write(1);
    assertThat(past(stood).lost).isEqualTo(Reasons.TRUNCATED);
  }

  @Test
  @DisplayName("nothing was cut off: the history after the end is empty, and begins there")
  void historyAtTheEnd() {
    Position stood = away();
    log.newLeader();
    Page page = past(stood);
    assertThat(page.lost).isNull();
    assertThat(page.events).isZero();
    assertThat(page.position).isEqualTo(stood.text());
  }

  private Page past(@Nullable Position after) {
    Page page = new Page();
    edge.past("a", after, page);
    turns();
    assertThat(page.answers).isEqualTo(1);
    return page;
  }

  private static final class Page implements Channels.Past {
    private int answers;
    private int events;
    private String position = "";
    private @Nullable String lost;

    @Override
    public void events(List<byte[]> those, String at, boolean more, @Nullable String why) {
      answers++;
      events = those.size();
      position = at;
      lost = why;
    }

    @Override
    public void unavailable(String why) {
      throw new AssertionError(why);
    }

    @Override
    public boolean gone() {
      return false;
    }
  }
}
