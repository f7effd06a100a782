package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What is read again of each partition: first to get its feed ready, then for all who wait. Plain
 * code without threads or consumers; one thread at a time.
 */
final class Rereads {
  /** Where records come from; each question may fail with a {@link KafkaException}. */
  interface Source {
    /** The oldest offset that is kept. */
    long begin(TopicPartition partition);

    /** The offset after the last record whose transaction has ended. */
    long end(TopicPartition partition);

    /** Reads from {@code offset} on. */
    void seek(TopicPartition partition, long offset);
  }

  /** Reads without a record after which the log's end is asked for again. */
  private static final int STANDS = 20;

  private final Source source;
  private final Places places;
  private final ChannelLimits limits;
  private final ChannelCounters counters;
  private final Map<TopicPartition, Partition> work = new HashMap<>();
  private @Nullable Live live;

  private final class Partition {
    private final Place place;
    private final Pass pass;
    private @Nullable Loading loading;
    private long position;
    private long stoodAt = -1;
    private int stood;

    Partition(Place place) {
      this.place = place;
      this.pass = new Pass(place, limits, counters);
    }

    /** Whether nothing has come for a while. */
    boolean stands() {
      stood = position == stoodAt ? stood + 1 : 0;
      stoodAt = position;
      return stood > 0 && stood % STANDS == 0;
    }
  }

  Rereads(Source source, Places places, ChannelLimits limits, ChannelCounters counters) {
    this.source = source;
    this.places = places;
    this.limits = limits;
    this.counters = counters;
  }

  /** Whom it answers. */
  void answer(Live whom) {
    live = whom;
  }

  private Live live() {
    Live whom = live;
    if (whom == null) {
      throw new IllegalStateException("nobody to answer to");
    }
    return whom;
  }

  /** See {@link Replay#load}. */
  void load(Place place) {
    if (!places.current(place)) {
      live().notLoaded(place, null);
      return;
    }
    TopicPartition partition = place.log();
    Partition of = of(place);
    try {
      long end = source.end(partition);
      Loading loading = new Loading(Feed.of(place, limits, counters), end, limits);
      long from = loading.from(source.begin(partition));
      of.pass.interrupted();
      of.loading = loading;
      source.seek(partition, from);
      of.position = from;
    } catch (KafkaException e) {
      of.loading = null;
      live().notLoaded(place, Reasons.noAnswer(e));
    }
  }

  /** See {@link Replay#resume}. */
  void resume(Subscription s, StreamFeed feed, long near) {
    counters.catchingUp.incrementAndGet();
    Resumer resumer = new Resumer(s, feed, near, limits.stalledMs(), this::back);
    if (places.current(feed.place())) {
      of(feed.place()).pass.add(resumer);
    } else {
      // Its feed is about to end, which sends it to look for its place anew.
      resumer.uprooted();
    }
  }

  private void back(Resumer resumer, @Nullable String reason) {
    counters.catchingUp.decrementAndGet();
    live().back(resumer, reason);
  }

  /** Reads what was; {@code to} is told in the end. */
  void past(Place place, ChannelName name, @Nullable Position after, int limit, Channels.Past to) {
    try {
      long end = source.end(place.log());
      int most = Math.min(limit, limits.historyEvents());
      of(place)
          .pass
          .add(
              new PastReader(
                  name.key(),
                  place,
                  after,
                  most,
                  limits.historyBytes(),
                  limits.historyScan(),
                  end,
                  to));
    } catch (KafkaException e) {
      to.unavailable(Reasons.noAnswer(e));
    }
  }

  private Partition of(Place place) {
    TopicPartition partition = place.log();
    Partition of = work.get(partition);
    if (of == null || !of.place.topic().equals(place.topic())) {
      if (of != null) {
        end(of);
      }
      of = new Partition(place);
      work.put(partition, of);
    }
    return of;
  }

  private void end(Partition of) {
    stopLoading(of, null);
    of.pass.uproot();
  }

  private void stopLoading(Partition of, @Nullable String why) {
    if (of.loading != null) {
      of.loading = null;
      live().notLoaded(of.place, why);
    }
  }

  /** Begins to read for those who wait, where nothing is being read. */
  void beginRounds(long nowMs) {
    for (Map.Entry<TopicPartition, Partition> e : List.copyOf(work.entrySet())) {
      Partition of = e.getValue();
      if (of.loading == null && !of.pass.running() && of.pass.ready(nowMs)) {
        try {
          long from = of.pass.begin(source.begin(e.getKey()), nowMs);
          if (from >= 0) {
            source.seek(e.getKey(), from);
            of.position = from;
          }
        } catch (KafkaException failure) {
          of.pass.fail(Reasons.noAnswer(failure));
        }
      }
    }
  }

  /** The partitions that are being read. */
  Set<TopicPartition> wanted() {
    Set<TopicPartition> wanted = new HashSet<>();
    work.values().removeIf(of -> of.loading == null && of.pass.empty());
    work.forEach(
        (partition, of) -> {
          if (of.loading != null || of.pass.running()) {
            wanted.add(partition);
          }
        });
    return wanted;
  }

  /** Whether nobody waits for anything. */
  boolean isEmpty() {
    return work.isEmpty();
  }

  /** A record that was read. */
  void record(TopicPartition partition, ChannelEvent event, long nowMs) {
    Partition of = work.get(partition);
    Loading loading = of == null ? null : of.loading;
    if (loading != null) {
      loading.record(event);
    } else if (of != null) {
      of.pass.record(event, nowMs);
    }
  }

  /**
   * Everything before {@code offset} was read.
   *
   * @param epoch leader epoch of what ends there; below 0: not known
   */
  void progressed(TopicPartition partition, long offset, int epoch) {
    Partition of = work.get(partition);
    if (of != null) {
      of.position = offset;
      Loading loading = of.loading;
      if (loading != null) {
        loading.passed(offset, epoch);
      } else {
        of.pass.passed(offset, epoch);
      }
    }
  }

  /** Some was read, or nothing was there: who has what he wants leaves. */
  void finish() {
    for (Partition of : List.copyOf(work.values())) {
      Loading loading = of.loading;
      if (loading != null && loading.done(of.position)) {
        of.loading = null;
        live().loaded(loading.feed());
      } else if (loading != null && of.stands()) {
        lookForEnd(of, loading);
      } else if (loading == null && of.pass.running()) {
        of.pass.reached(of.position);
      }
    }
  }

  /** A log that was cut off may never again come to where it ended. */
  private void lookForEnd(Partition of, Loading loading) {
    try {
      if (source.end(of.place.log()) < loading.end()) {
        load(of.place);
      }
    } catch (KafkaException e) {
      stopLoading(of, Reasons.noAnswer(e));
    }
  }

  /** What was about to be read is not there any more. */
  void outOfRange(TopicPartition partition) {
    Partition of = work.get(partition);
    if (of == null) {
      return;
    }
    Loading loading = of.loading;
    if (loading != null) {
      load(loading.feed().place());
      return;
    }
    try {
      // Below the log's start the next round begins where it starts; beyond its end nobody can.
      of.pass.cutOff(source.end(partition));
    } catch (KafkaException e) {
      of.pass.fail(Reasons.noAnswer(e));
    }
  }

  /** A topic is not any more what it was. */
  void changed(String topic) {
    for (Map.Entry<TopicPartition, Partition> e : List.copyOf(work.entrySet())) {
      if (e.getKey().topic().equals(topic)) {
        end(e.getValue());
      }
    }
  }

  /** Nothing can be read. */
  void fail(String why) {
    Set.copyOf(work.keySet()).forEach(partition -> fail(partition, why));
  }

  /** One partition cannot be read. */
  void fail(TopicPartition partition, String why) {
    Partition of = work.get(partition);
    if (of != null) {
      stopLoading(of, why);
      of.pass.fail(why);
    }
  }
}
