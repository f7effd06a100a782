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

  /** Milliseconds between two looks for a topic; longer than a client waits to try again. */
  private static final long LOOK_MS = 2_500;

  /** Bytes of an event's frame beside its payload, names in their longest spelling. */
  private static final int FRAME = 4 * 1024;

  private final Namespaces namespaces;
  private final ChannelLimits limits;
  private final ChannelCounters counters;
  private final Reloader reloader;
  private final Follower follower;
  private final ChannelPublisher publisher;
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> lookedForMs = new ConcurrentHashMap<>();
  private final LongSupplier ticker;

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
    this.ticker = ticker;
    Room room = new Room(keptBytes);
    counters.keeps(room::bytes);
    this.reloader =
        new Reloader(bootstrap, edgeId, overrides, limits, room, counters, ticker, fatal);
    this.follower =
        new Follower(bootstrap, edgeId, overrides, reloader, counters, ticker, clock, fatal);
    this.publisher =
        new ChannelPublisher(bootstrap, edgeId, overrides, reloader.places(), counters);
    reloader.places().onGone(publisher::gone);
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
  public PastLimits pastLimits() {
    return new PastLimits(
        limits.historyEvents(),
        limits.historyBytes(),
        limits.eventBytes() + FRAME,
        limits.historyQueries());
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
    String topic = namespace.topic();
    if (reloader.places().partitions(topic) == 0 && firstInAWhile(topic)) {
      reloader.places().unknown(topic);
      reloader.prime(namespace);
    }
    publisher.publish(namespace, channel, msgId, from, payload, outcome);
  }

  /**
   * However many publish to a topic that is not there, it is looked for once in a while. Whoever
   * comes while it is looked for may come again, and then hears how it is.
   */
  private boolean firstInAWhile(String topic) {
    long nowMs = ticker.getAsLong();
    Long before = lookedForMs.get(topic);
    if (before != null && nowMs - before < LOOK_MS) {
      return false;
    }
    lookedForMs.put(topic, nowMs);
    return true;
  }

  @Override
  public boolean past(
      Namespace namespace, ChannelName channel, @Nullable Position after, int limit, Past to) {
    return reloader.past(namespace, channel, after, limit, to);
  }
}
