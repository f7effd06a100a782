package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.channel.ModelLog.Rec;
import dev.holdfast.edge.channel.Places.Found;
import dev.holdfast.edge.session.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The two threads of an edge's channels as two queues that a test works off in any order, and two
 * consumers that read a {@link ModelLog} as Kafka's would: both notice when the log was cut off
 * before their position, or no longer begins before it.
 */
final class ModelEdge {
  private final Namespace namespace;
  private final ModelLog log;
  private final Queue<Runnable> follower = new ArrayDeque<>();
  private final Queue<Runnable> reloader = new ArrayDeque<>();
  private final Places places = new Places(1_000);
  private final Cursor live = new Cursor();
  private final Cursor again = new Cursor();
  private final Rereads rereads;
  private final Feeds feeds;
  private final TopicPartition partition;
  private boolean silent;
  private long nowMs = 1;

  /** A consumer's place. */
  private static final class Cursor {
    private long offset;
    private int cuts;
    private long passed;
    private int epoch;

    /**
     * @param before leader epoch of what was read before it, so that a cut since then is noticed;
     *     below 0: nothing was
     */
    void seek(long to, int before, ModelLog log) {
      offset = to;
      cuts = before < 0 ? log.cuts() : log.cuts(before);
      passed = to;
      epoch = Epochs.UNKNOWN;
    }

    /** The next record; null: Kafka's own, which it comes past, or nothing, which it jumps over. */
    @Nullable Rec read(ModelLog log) {
      long at = offset++;
      if (log.epoch(at) >= 0) {
        passed = offset;
        epoch = log.epoch(at);
      }
      return log.at(at);
    }

    boolean lost(ModelLog log) {
      return offset < log.start() || offset > log.end() || log.cutBelow(offset, cuts);
    }
  }

  private final class Asked implements Rereads.Source {
    @Override
    public LogStart begin(TopicPartition of) {
      answer();
      return new LogStart(log.start(), log.startEpoch());
    }

    @Override
    public long end(TopicPartition of) {
      answer();
      return log.end();
    }

    @Override
    public void seek(TopicPartition of, long offset, int epoch) {
      again.seek(offset, epoch, log);
    }

    private void answer() {
      if (silent) {
        throw new TimeoutException("silent");
      }
    }
  }

  private final class Followed implements Feeds.Source {
    @Override
    public void assign(Set<TopicPartition> partitions) {}

    @Override
    public void seek(TopicPartition of, long offset, int epoch) {
      live.seek(offset, epoch, log);
    }
  }

  private final class Reloads implements Replay {
    @Override
    public Places places() {
      return places;
    }

    @Override
    public void locate(Subscription s) {
      reloader.add(
          () -> {
            look();
            Place place = Objects.requireNonNull(places.known(s.namespace(), s.key()));
            follower.add(() -> feeds.enter(s, place));
          });
    }

    @Override
    public void load(Place place) {
      reloader.add(() -> rereads.load(place));
    }

    @Override
    public void resume(Subscription s, StreamFeed feed, long near) {
      reloader.add(() -> rereads.resume(s, feed, near));
    }

    @Override
    public void checkEnd(Subscription s, Feed feed) {
      reloader.add(
          () -> {
            boolean within = s.next() <= log.end();
            follower.add(() -> feeds.ahead(s, feed, within));
          });
    }
  }

  private final class Answers implements Live {
    @Override
    public void located(Subscription s, Place place) {
      follower.add(() -> feeds.enter(s, place));
    }

    @Override
    public void loaded(Feed feed) {
      follower.add(() -> feeds.loaded(feed));
    }

    @Override
    public void notLoaded(Place place, @Nullable String why) {
      follower.add(() -> feeds.notLoaded(place, why));
    }

    @Override
    public void back(Resumer resumer, @Nullable String reason) {
      follower.add(() -> feeds.back(resumer, reason));
    }

    @Override
    public void ahead(Subscription s, Feed feed, boolean within) {
      throw new IllegalStateException("not asked here");
    }

    @Override
    public void changed(String topic, @Nullable String gone) {
      follower.add(() -> feeds.changed(topic, gone));
    }
  }

  ModelEdge(
      Namespace namespace,
      ModelLog log,
      ChannelLimits limits,
      Room room,
      ChannelCounters counters) {
    this.namespace = namespace;
    this.log = log;
    this.partition = new TopicPartition(namespace.topic(), 0);
    this.rereads = new Rereads(new Asked(), places, limits, room, counters);
    this.feeds = new Feeds(new Followed(), new Reloads(), counters);
    Answers answers = new Answers();
    rereads.answer(answers);
    look();
  }

  void subscribe(Subscription s) {
    follower.add(() -> feeds.subscribe(s));
  }

  void leave(Subscription s) {
    follower.add(() -> feeds.leave(s));
  }

  /** A question about the past of a channel. */
  void past(String key, @Nullable Position after, Channels.Past to) {
    reloader.add(
        () -> {
          Place place = Objects.requireNonNull(places.newest(namespace, key));
          rereads.past(place, new ChannelName(namespace.prefix(), key), after, 100, nowMs, to);
        });
  }

  void silent(boolean now) {
    silent = now;
  }

  void passTime(long ms) {
    nowMs += ms;
  }

  long nowMs() {
    return nowMs;
  }

  /** Looks at the topic, as it does now and then. */
  void look() {
    if (places.found(namespace.topic(), new Topic(log.tag(), 1), nowMs) == Found.ANOTHER) {
      follower.add(() -> feeds.changed(namespace.topic(), null));
      rereads.changed(namespace.topic());
    }
  }

  /** A turn of the thread that follows. */
  void follow(int tasks, int records) {
    feeds.at(nowMs);
    perform(follower, tasks);
    Feed feed = feeds.of(partition);
    if (feed != null && live.lost(log)) {
      feeds.lose(partition, null);
    } else if (feed != null) {
      live.cuts = log.cuts();
      int left = records;
      while (left-- > 0 && live.offset < log.end()) {
        Rec rec = live.read(log);
        if (rec != null) {
          feed.append(event(rec), nowMs);
        }
      }
      feed.advance(live.passed, live.epoch);
    }
    feeds.taken();
    feeds.tick();
  }

  /** A turn of the thread that reads again. */
  void reload(int tasks, int records) {
    perform(reloader, tasks);
    rereads.beginRounds(nowMs);
    if (!rereads.wanted().isEmpty()) {
      if (again.lost(log)) {
        rereads.outOfRange(partition);
        return;
      }
      again.cuts = log.cuts();
      int left = records;
      while (left-- > 0 && again.offset < log.end()) {
        Rec rec = again.read(log);
        if (rec != null) {
          rereads.record(partition, event(rec), nowMs);
        }
      }
      rereads.progressed(partition, again.passed, again.epoch);
      rereads.finish();
    }
  }

  private void perform(Queue<Runnable> queue, int tasks) {
    for (int i = 0; i < tasks && !queue.isEmpty(); i++) {
      queue.remove().run();
    }
  }

  /** Leaves records out, as no consumer does. */
  void skip(long to) {
    live.offset = to;
    live.passed = to;
  }

  /** Whether nothing is under way. */
  boolean idle() {
    Feed feed = feeds.of(partition);
    return follower.isEmpty()
        && reloader.isEmpty()
        && rereads.wanted().isEmpty()
        && rereads.isEmpty()
        && !feeds.waits()
        && (feed == null
            || (live.offset == log.end() && !live.lost(log) && feed.parked().isEmpty()));
  }

  /** Whether something is kept for somebody. */
  boolean keepsAnything() {
    Feed feed = feeds.of(partition);
    return (feed != null && (!feed.unused() || feed.flush(nowMs))) || feeds.isLoading();
  }

  /** Ends what is followed. */
  void end() {
    feeds.lose(partition, null);
  }

  private static ChannelEvent event(Rec rec) {
    byte[] value = rec.value() == null ? null : rec.value().getBytes(StandardCharsets.US_ASCII);
    return new ChannelEvent(
        rec.offset(), rec.epoch(), rec.key(), rec.uid(), rec.msgId(), null, value);
  }
}
