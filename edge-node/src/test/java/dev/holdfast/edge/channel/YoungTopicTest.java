package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * An edge that has just started, and a client that stood in a partition which its channel has left:
 * others may still write there.
 */
class YoungTopicTest {
  private static final Namespace ROOMS = Namespace.parse("t:publish=clients");
  private static final ChannelLimits LIMITS = ChannelLimits.DEFAULT;

  private final ModelLog log = new ModelLog(LIMITS.repeatRecords());
  private final ChannelCounters counters = new ChannelCounters();
  private final ModelEdge edge = new ModelEdge(ROOMS, log, LIMITS, new Room(1 << 20), counters);
  private final Position left = new Position(log.tag(), 1, 3, 0);
  private final Told told = new Told();

  private List<String> subscribed() {
    told.all.clear();
    edge.subscribe(
        new Subscription(ROOMS, new ChannelName("t", "a"), left, 0, told, counters, edge::leave));
    turns();
    return told.all;
  }

  private List<String> asked() {
    told.all.clear();
    edge.past("a", left, told);
    turns();
    return told.all;
  }

  private void turns() {
    for (int i = 0; i < 20; i++) {
      edge.follow(100, 100);
      edge.reload(100, 100);
    }
  }

  @Test
  @DisplayName("it is told to come again, until nobody writes there any more, and then led on")
  void waits() {
    assertThat(subscribed()).containsExactly(Reasons.UNSETTLED);
    assertThat(asked()).containsExactly(Reasons.UNSETTLED);
    edge.passTime(Places.GRACE_MS);
    assertThat(subscribed()).singleElement().asString().contains(Reasons.REPARTITIONED);
    assertThat(asked()).containsExactly(Reasons.REPARTITIONED);
  }

  private static final class Told implements Channels.Listener, Channels.Past {
    private final List<String> all = new ArrayList<>();

    @Override
    public void send(byte[] frame) {
      all.add(new String(frame, StandardCharsets.UTF_8));
    }

    @Override
    public long queued() {
      return 0;
    }

    @Override
    public void events(List<byte[]> events, String position, boolean more, @Nullable String lost) {
      all.add(String.valueOf(lost));
    }

    @Override
    public void unavailable(String why) {
      all.add(why);
    }

    @Override
    public void stalled() {}

    @Override
    public boolean gone() {
      return false;
    }
  }
}
