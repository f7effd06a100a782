package dev.holdfast.edge;

import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.channel.ChannelCounters;
import dev.holdfast.edge.channel.ChannelLimits;
import dev.holdfast.edge.channel.EdgeChannels;
import dev.holdfast.edge.egress.DeliveryReader;
import dev.holdfast.edge.egress.KafkaLayout;
import dev.holdfast.edge.egress.KafkaProbe;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.ingress.EventPublisher;
import dev.holdfast.edge.presence.Presence;
import dev.holdfast.edge.presence.PresenceCounters;
import dev.holdfast.edge.presence.PresenceReader;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.edge.session.Sessions;
import java.time.InstantSource;
import java.util.function.Consumer;

/** Makes the parts of a node that speak with Kafka, and sees that each is ended with the node. */
final class Parts {
  private static final InstantSource CLOCK = InstantSource.system();

  private final EdgeConfig config;
  private final KafkaLayout layout;
  private final EdgeIdentity identity;
  private final EdgeCounters counters;
  private final Consumer<String> fail;
  private final Consumer<Runnable> undo;

  /**
   * @param fail told when a part cannot go on
   * @param undo takes what ends a part
   */
  Parts(
      EdgeConfig config,
      KafkaLayout layout,
      EdgeIdentity identity,
      EdgeCounters counters,
      Consumer<String> fail,
      Consumer<Runnable> undo) {
    this.config = config;
    this.layout = layout;
    this.identity = identity;
    this.counters = counters;
    this.fail = fail;
    this.undo = undo;
  }

  /** Who may come in. */
  Access access() {
    Access access = Access.of(config.auth(), CLOCK, Ticker::nowMs);
    undo.accept(access::close);
    return access;
  }

  /** The channels, running; none where there are no namespaces. */
  Channels channels(ChannelCounters channelCounters) {
    if (config.namespaces().all().isEmpty()) {
      return Channels.NONE;
    }
    EdgeChannels channels =
        new EdgeChannels(
            config.bootstrap(),
            config.edgeId(),
            config.kafka(),
            config.namespaces(),
            ChannelLimits.DEFAULT,
            config.channelBytes(),
            channelCounters,
            Ticker::nowMs,
            CLOCK,
            fail);
    undo.accept(channels::close);
    channels.start();
    return channels;
  }

  /** The way to the log, not started yet. */
  EventPublisher ingress() {
    EventPublisher publisher =
        new EventPublisher(
            config.bootstrap(),
            config.limits(),
            config.kafka(),
            layout.events(),
            identity,
            counters,
            Ticker::nowMs,
            fail);
    undo.accept(() -> publisher.close(Farewell.FLUSH)); // for a start that fails
    return publisher;
  }

  /** The way from the log, not started yet. */
  DeliveryReader egress(Sessions sessions, EventSink sink, Queries queries) {
    DeliveryReader reader =
        new DeliveryReader(
            config.bootstrap(),
            config.kafka(),
            identity,
            sessions,
            sink,
            queries,
            counters,
            CLOCK,
            fail);
    undo.accept(reader::close);
    return reader;
  }

  /** Who is online, running. */
  Presence presence(PresenceCounters presenceCounters) {
    PresenceReader reader =
        new PresenceReader(
            config.bootstrap(),
            config.edgeId(),
            config.kafka(),
            layout.events(),
            config.presence(),
            presenceCounters,
            Ticker::nowMs,
            CLOCK,
            fail);
    undo.accept(reader::close);
    reader.start();
    return reader.presence();
  }

  /** Asks from now on whether Kafka answers. */
  KafkaProbe probe(Ticker ticker, DeliveryReader reader) {
    KafkaProbe probe =
        new KafkaProbe(
            config.bootstrap(),
            config.edgeId(),
            layout.partitionOf(config.edgeId()),
            config.kafka(),
            Ticker::nowMs,
            reader::topicIsThere);
    undo.accept(probe::close);
    ticker.every(Ticker.PROBE_MS, probe::ask);
    return probe;
  }
}
