package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.Namespace;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** All partitions of an edge have one bound, whatever each may keep by itself. */
class RoomTest {
  private static final long BYTES = 1 << 20;
  private static final int VALUE = 1_000;
  private static final Namespace LATEST = Namespace.parse("t:mode=latest");
  private static final Namespace STREAM = Namespace.parse("s");

  private final Room room = new Room(BYTES);

  private Feed feed(Namespace namespace, int partition) {
    Place place = new Place(namespace, "topic-00", partition, 1_000);
    return Feed.of(place, ChannelLimits.DEFAULT, room, new ChannelCounters());
  }

  private static ChannelEvent event(long offset) {
    return new ChannelEvent(offset, 1, "k" + offset, 0, null, null, new byte[VALUE]);
  }

  @Test
  @DisplayName("newest values of many partitions: those that do not fit say so and keep nothing")
  void values() {
    List<Feed> feeds = new ArrayList<>();
    for (int partition = 0; partition < 6; partition++) {
      Feed feed = feed(LATEST, partition);
      for (int i = 0; i < 300; i++) {
        feed.warm(event(i));
        assertThat(room.bytes()).isLessThanOrEqualTo(BYTES);
      }
      feed.start(300);
      feeds.add(feed);
    }
    assertThat(feeds.stream().filter(feed -> feed.overflow() == null)).hasSize(1);
    assertThat(feeds.get(1).overflow()).contains("t-1").contains("--channels-mb");
    // What is followed may still grow where a newcomer may not come in.
    feeds.get(0).append(event(300), 0);
    assertThat(feeds.get(0).overflow()).isNull();
    feeds.forEach(Feed::abandon);
    assertThat(room.bytes()).isZero();
  }

  @Test
  @DisplayName("tails of many partitions shrink to their share, busy and quiet ones alike")
  void tails() {
    List<Feed> feeds = new ArrayList<>();
    for (int partition = 0; partition < 8; partition++) {
      Feed feed = feed(STREAM, partition);
      feed.start(0);
      feeds.add(feed);
      for (int i = 0; i < 300; i++) {
        feed.append(event(i), 0);
      }
    }
    feeds.forEach(Feed::shrink);
    assertThat(room.bytes()).isLessThanOrEqualTo(BYTES / 4);
    assertThat(feeds).allMatch(feed -> ((StreamFeed) feed).tailFrom() < 300);
    feeds.forEach(Feed::abandon);
    assertThat(room.bytes()).isZero();
  }

  @Test
  @DisplayName("too many values of one partition are no matter of the edge's memory")
  void one() {
    Feed feed = feed(LATEST, 0);
    LatestValues values = new LatestValues(10_000, room);
    for (int i = 0; i < 10; i++) {
      values.put(event(i));
    }
    assertThat(values.overflow()).doesNotContain("--channels-mb");
    assertThat(room.bytes()).isZero();
    assertThat(feed.overflow()).isNull();
  }
}
