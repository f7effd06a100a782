package dev.holdfast.edge.channel;

import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespaces;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The channels of one edge: wires the parts, and is what sessions see. */
public final class EdgeChannels implements Channels {
  private static final Duration FLUSH = Duration.ofSeconds(2);

  /** What the channels of an edge may keep in memory where nothing else is said: bytes. */
  public static final long KEPT_BYTES = Runtime.getRuntime().maxMemory() / 4;

  private final Namespaces namespaces;
  private final ChannelLimits limits;
  private final ChannelCounters counters;
  private final Reloader reloader;
  private final Follower follower;
  private final ChannelPublisher publisher;
  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  /**
   * @param overrides further Kafka client properties
   * @param keptBytes estimated bytes that may be kept of all partitions together
   * @param ticker monotonic milliseconds
   * @param clock the wall clock, for metrics
   * @param fatal told when a thread cannot go on
   */
  public EdgeChannels(
      String bootstrap,
      String edgeId,
      Map<String, String> overrides,
      Namespaces namespaces,
      ChannelLimits limits,
      long keptBytes,
      ChannelCounters counters,
      LongSupplier ticker,
      InstantSource clock,
      Consumer<String> fatal) {
    this.namespaces = namespaces;
    this.limits = limits;
    this.counters = counters;
    Room room = new Room(keptBytes);
    counters.keeps(room::bytes);
    this.reloader =
        new Reloader(bootstrap, edgeId, overrides, limits, room, counters, ticker, fatal);
    this.follower =
        new Follower(bootstrap, edgeId, overrides, reloader, counters, ticker, clock, fatal);
    this.publisher =
        new ChannelPublisher(bootstrap, edgeId, overrides, reloader.places(), counters);
  }

  /** Starts the threads; topics are looked up at once. */
  public void start() {
    reloader.start(follower);
    follower.start();
    for (Namespace one : namespaces.all()) {
      reloader.prime(one); // so that it is noticed when the topic has more partitions
      if (one.publish() != Namespace.Publishers.NONE) {
        publisher.prime(one);
      }
    }
  }

  /** Stops them; what was published goes out first, within a moment. */
  public void close() {
    publisher.close(FLUSH);
    follower.close();
    reloader.close();
  }

  @Override
  public int mostPerConnection() {
    return limits.subscriptions();
  }

  @Override
  public int mostPastEvents() {
    return limits.historyEvents();
  }

  @Override
  public @Nullable Namespace namespace(ChannelName channel) {
    return namespaces.of(channel);
  }

  @Override
  public @Nullable Handle subscribe(
      Namespace namespace,
      ChannelName channel,
      @Nullable Position from,
      double maxRate,
      Listener to) {
    if (counters.subscriptions.incrementAndGet() > limits.nodeSubscriptions()) {
      counters.subscriptions.decrementAndGet();
      return null;
    }
    if (namespace.publish() != Namespace.Publishers.NONE && asked.add(namespace.prefix())) {
      publisher.prime(namespace); // the topic may have been made since the start
    }
    Subscription s =
        new Subscription(namespace, channel, from, maxRate, to, counters, this::closed);
    follower.subscribe(s);
    return s;
  }

  private void closed(Subscription s) {
    counters.subscriptions.decrementAndGet();
    follower.leave(s);
  }

  @Override
  public void publish(
      Namespace namespace,
      ChannelName channel,
      String msgId,
      String from,
      RawJson payload,
      Published outcome) {
    if (!publisher.publish(namespace, channel, msgId, from, payload, outcome)) {
      reloader.prime(namespace);
    }
  }

  @Override
  public boolean past(
      Namespace namespace, ChannelName channel, @Nullable Position after, int limit, Past to) {
    return reloader.past(namespace, channel, after, limit, to);
  }
}
