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
  private static final Namespace WRITTEN = Namespace.parse("w:publish=clients");
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
  @DisplayName("a partition that could not be loaded never had a tail to share with")
  void unloaded() {
    feed(STREAM, 0).abandon();
    feed(STREAM, 1).abandon();
    feed(STREAM, 2).start(0);
    feed(STREAM, 3).start(0);
    room.tails(BYTES); // more than there is
    assertThat(room.share(Long.MAX_VALUE)).isEqualTo(BYTES / 4 / 2);
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

  private static ChannelEvent named(long offset) {
    String msgId = "0123456789012345678901".substring(String.valueOf(offset).length()) + offset;
    return new ChannelEvent(offset, 1, "k", 0, msgId, null, new byte[10]);
  }

  @Test
  @DisplayName("message ids count: they go before tails, and a partition whose ids do not fit ends")
  void ids() {
    Feed first = feed(WRITTEN, 0);
    first.start(0);
    long before = room.bytes();
    first.append(named(0), 0);
    first.append(named(0), 0); // was passed
    long one = room.bytes() - before - named(0).bytes();
    assertThat(one).isBetween(150L, 250L);
    for (int i = 1; i * one < BYTES / 4; i++) {
      first.append(named(i), 0);
    }
    first.shrink();
    assertThat(((StreamFeed) first).tailFrom()).as("nothing is left for the tail").isPositive();
    assertThat(first.overflow()).isNull();

    Feed second = feed(WRITTEN, 1);
    int ids = 0;
    while (second.overflow() == null) {
      second.warm(named(ids++));
      assertThat(room.bytes()).isLessThan(BYTES);
    }
    assertThat(second.overflow()).contains("message ids of w-1").contains("--channels-mb");
    assertThat(first.overflow()).as("what is followed goes before a newcomer").isNull();
    second.release();
    first.abandon();
    assertThat(room.bytes()).isZero();
  }

  @Test
  @DisplayName("of partitions whose ids do not fit together only as many end as must")
  void oneGivesWay() {
    List<Feed> feeds = List.of(feed(WRITTEN, 0), feed(WRITTEN, 1), feed(WRITTEN, 2));
    feeds.forEach(feed -> feed.start(0));
    for (int i = 0; feeds.get(0).overflow() == null || feeds.get(2).overflow() == null; i++) {
      for (Feed feed : feeds) { // what one read brings
        feed.append(named(i), 0);
      }
    }
    feeds.get(0).abandon();
    assertThat(feeds.get(1).overflow()).isNull();
    assertThat(feeds.get(2).overflow()).isNull();
    feeds.get(1).append(named(1_000_000), 0);
    assertThat(feeds.get(1).overflow()).isNull();
  }

  @Test
  @DisplayName("ids that have left the window take no room, nor do those of records without one")
  void idsLeave() {
    Room wide = new Room(64 << 20);
    RepeatWindow window = new RepeatWindow(100, wide::ids);
    for (int i = 0; i < 1_000; i++) {
      assertThat(window.repeats(2L * i, i % 3 == 0 ? "id" + i : null)).isFalse();
    }
    assertThat(wide.bytes()).isBetween(16 * 160L, 18 * 170L);
    window.close();
    assertThat(wide.bytes()).isZero();
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
