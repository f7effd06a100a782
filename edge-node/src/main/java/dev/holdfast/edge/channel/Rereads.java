package dev.holdfast.edge.channel;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
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
    /** Where the log begins. */
    LogStart begin(TopicPartition partition);

    /** The offset after the last record whose transaction has ended. */
    long end(TopicPartition partition);

    /**
     * Reads from {@code offset} on.
     *
     * @param epoch leader epoch of what was read before it, so that it is noticed when the log was
     *     cut off there; below 0: nothing was
     */
    void seek(TopicPartition partition, long offset, int epoch);
  }

  private final Source source;
  private final Places places;
  private final ChannelLimits limits;
  private final Room room;
  private final ChannelCounters counters;
  private final Map<TopicPartition, Reread> work = new HashMap<>();
  private @Nullable Live live;

  Rereads(Source source, Places places, ChannelLimits limits, Room room, ChannelCounters counters) {
    this.source = source;
    this.places = places;
    this.limits = limits;
    this.room = room;
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
    Reread of = of(place);
    try {
      long end = source.end(partition);
      Loading loading = new Loading(Feed.of(place, limits, room, counters), end, limits);
      long from = loading.from(source.begin(partition));
      of.load(loading, from);
      source.seek(partition, from, Epochs.UNKNOWN);
    } catch (KafkaException e) {
      Feed unused = of.unload();
      live().notLoaded(place, Reasons.noAnswer(e));
    }
  }

  /** See {@link Replay#resume}. */
  void resume(Subscription s, StreamFeed feed, long near) {
    counters.catchingUp.incrementAndGet();
    Resumer resumer = new Resumer(s, feed, near, limits.stalledMs(), this::back);
    if (places.current(feed.place())) {
      of(feed.place()).pass().add(resumer);
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
  void past(
      Place now,
      ChannelName name,
      @Nullable Position after,
      int limit,
      long nowMs,
      Channels.Past to) {
    if (places.unsettled(now, after, nowMs)) {
      to.unavailable(Reasons.UNSETTLED);
      return;
    }
    Place before = after == null ? null : places.before(now, after.topic(), after.partition());
    if (before == null) {
      read(now, name, after, limit, to);
      return;
    }
    try {
      // What lies where the channel was comes first; the last page leads to where it went.
      Place next = places.onward(now, before, name.key());
      LogStart begin = source.begin(next.log());
      String on = next.position(begin.offset(), begin.epoch());
      read(before, name, after, limit, new PastBefore(to, on));
    } catch (KafkaException e) {
      to.unavailable(Reasons.noAnswer(e));
    }
  }

  private void read(
      Place place, ChannelName name, @Nullable Position after, int limit, Channels.Past to) {
    try {
      long end = source.end(place.log());
      of(place).pass().add(new PastReader(name.key(), place, after, limit, limits, end, to));
    } catch (KafkaException e) {
      to.unavailable(Reasons.noAnswer(e));
    }
  }

  private Reread of(Place place) {
    TopicPartition partition = place.log();
    Reread of = work.get(partition);
    if (of == null || !of.place().topic().equals(place.topic())) {
      if (of != null) {
        end(of);
      }
      of = new Reread(place, limits);
      work.put(partition, of);
    }
    return of;
  }

  private void end(Reread of) {
    Feed loading = of.unload();
    if (loading != null) {
      live().notLoaded(loading.place(), null);
    }
    of.forget();
    of.pass().uproot();
  }

  /** Begins to read for those who wait, where nothing is being read. */
  void beginRounds(long nowMs) {
    for (Map.Entry<TopicPartition, Reread> e : List.copyOf(work.entrySet())) {
      Reread of = e.getValue();
      if (of.loading() == null && of.pass().running()) {
        of.pass().rejoin(nowMs);
      } else if (of.loading() == null && of.pass().ready(nowMs)) {
        try {
          begin(e.getKey(), of, nowMs);
        } catch (KafkaException failure) {
          of.forget();
          of.pass().fail(Reasons.noAnswer(failure));
        }
      }
    }
  }

  private void begin(TopicPartition partition, Reread of, long nowMs) {
    long from = of.pass().begin(source.begin(partition), nowMs);
    if (from >= 0 && !of.has(from)) {
      of.at(from);
      source.seek(partition, from, of.pass().epoch());
    }
    of.give(nowMs);
  }

  /** The partitions that are being read. */
  Set<TopicPartition> wanted() {
    work.values().removeIf(Reread::idle);
    return where(Reread::reads);
  }

  /** The partitions that will be read on, but not now. */
  Set<TopicPartition> resting() {
    return where(Reread::rests);
  }

  private Set<TopicPartition> where(Predicate<Reread> holds) {
    Set<TopicPartition> those = new HashSet<>();
    work.forEach(
        (partition, of) -> {
          if (holds.test(of)) {
            those.add(partition);
          }
        });
    return those;
  }

  /** Whether nobody waits for anything. */
  boolean isEmpty() {
    return work.isEmpty();
  }

  /** A record that was read. */
  void record(TopicPartition partition, ChannelEvent event, long nowMs) {
    Reread of = work.get(partition);
    Loading loading = of == null ? null : of.loading();
    if (loading != null) {
      loading.record(event);
    } else if (of != null) {
      counters.recordsReplayed.increment();
      of.record(event, nowMs);
    }
  }

  /**
   * Everything before {@code offset} was read.
   *
   * @param epoch leader epoch of what ends there; below 0: not known
   */
  void progressed(TopicPartition partition, long offset, int epoch) {
    Reread of = work.get(partition);
    if (of != null) {
      of.progressed(offset, epoch);
    }
  }

  /** Some was read, or nothing was there: who has what he wants leaves. */
  void finish() {
    for (Reread of : List.copyOf(work.values())) {
      Loading loading = of.loading();
      if (loading != null && loading.done(of.position())) {
        of.loaded();
        live().loaded(loading.feed());
      } else if (loading != null && of.stands()) {
        lookForEnd(of, loading);
      } else if (loading == null && of.pass().running()) {
        of.pass().reached(of.position());
        if (of.pass().running() && of.stands()) {
          lookForEnd(of);
        }
      }
    }
  }

  /** A log that was cut off may never again come to where it ended. */
  private void lookForEnd(Reread of, Loading loading) {
    try {
      if (source.end(of.place().log()) < loading.end()) {
        load(of.place());
      }
    } catch (KafkaException e) {
      Feed unused = of.unload();
      live().notLoaded(of.place(), Reasons.noAnswer(e));
    }
  }

  /** The same for who waits to come there. */
  private void lookForEnd(Reread of) {
    try {
      long end = source.end(of.place().log());
      if (of.pass().beyond(end)) {
        of.forget();
        of.pass().cutOff(end);
      }
    } catch (KafkaException e) {
      return; // it is asked again
    }
  }

  /** What was about to be read is not there any more. */
  void outOfRange(TopicPartition partition) {
    Reread of = work.get(partition);
    if (of == null) {
      return;
    }
    Loading loading = of.loading();
    if (loading != null) {
      load(loading.feed().place());
      return;
    }
    of.forget();
    try {
      // Below the log's start the next round begins where it starts; beyond its end nobody can.
      of.pass().cutOff(source.end(partition));
    } catch (KafkaException e) {
      of.pass().fail(Reasons.noAnswer(e));
    }
  }

  /** A topic is not any more what it was. */
  void changed(String topic) {
    for (Map.Entry<TopicPartition, Reread> e : List.copyOf(work.entrySet())) {
      if (e.getKey().topic().equals(topic)) {
        end(e.getValue());
      }
    }
  }

  /** A partition cannot be read: who waits for it is told, nobody else. */
  void fail(TopicPartition partition, String why) {
    Reread of = work.get(partition);
    if (of == null) {
      return;
    }
    Feed loading = of.unload();
    if (loading != null) {
      live().notLoaded(loading.place(), why);
    }
    of.forget();
    of.pass().fail(why);
  }
}
