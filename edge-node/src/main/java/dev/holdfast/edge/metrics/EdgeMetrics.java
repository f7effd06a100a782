package dev.holdfast.edge.metrics;

import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.edge.channel.ChannelCounters;
import dev.holdfast.edge.presence.PresenceCounters;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.metrics.Scrape;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * One edge's metrics, each explained in {@code docs/metrics.md}. Labels have few values, all from
 * the code: none is a user, a connection or an address. Thread-safe.
 */
public final class EdgeMetrics implements AutoCloseable {
  private final Scrape scrape;

  public EdgeMetrics(String edgeId, EdgeCounters counters, Sessions sessions) {
    this.scrape = new Scrape("edge", edgeId);
    connections(counters, sessions);
    frames(counters);
    kafka(counters);
  }

  /** What the channels count. */
  public void channels(ChannelCounters counters) {
    ChannelMetrics.register(scrape, counters);
  }

  /** Whether the node takes traffic. */
  public void ready(BooleanSupplier ready) {
    scrape.gauge(
        "holdfast.edge.ready", "1 when /readyz says so", () -> ready.getAsBoolean() ? 1 : 0);
  }

  /**
   * What waits.
   *
   * @param ingressRecords records in front of the producer
   * @param ingressBytes their bytes
   * @param outboundBytes bytes for all sockets
   * @param egressLag deliveries that were not yet read
   */
  public void queues(
      LongSupplier ingressRecords,
      LongSupplier ingressBytes,
      LongSupplier outboundBytes,
      DoubleSupplier egressLag) {
    scrape.gauge(
        "holdfast.edge.egress.lag.records", "Deliveries that were not yet read", egressLag);
    scrape.gauge(
        "holdfast.edge.ingress.queue.records",
        "Records that wait for Kafka",
        ingressRecords::getAsLong);
    scrape.gauge(
        "holdfast.edge.ingress.queue.bytes",
        "Bytes of records that wait for Kafka",
        ingressBytes::getAsLong);
    scrape.gauge(
        "holdfast.edge.outbound.queue.bytes",
        "Bytes queued for all sockets",
        outboundBytes::getAsLong);
  }

  /** Who is watched, and what is read for it. */
  public void presence(PresenceCounters c) {
    scrape.gauge("holdfast.edge.presence.watches", "Watches of all connections", () -> c.watches);
    scrape.gauge(
        "holdfast.edge.presence.partitions", "Partitions that are read", () -> c.partitions);
    scrape.gauge("holdfast.edge.presence.bytes", "What is kept of them", () -> c.bytes);
    scrape.counter("holdfast.edge.presence.records", "Records that were read", c.records);
    scrape.counter(
        "holdfast.edge.presence.unreadable", "Records that could not be read", c.unreadable);
    scrape.counter("holdfast.edge.presence.older", "Records older than what was known", c.older);
    scrape.counter("holdfast.edge.presence.rereads", "Partitions that were read anew", c.reread);
    scrape.counter(
        "holdfast.edge.presence.gave.up", "Watches and lookups told to come later", c.gaveUp);
    scrape.latency(
        "holdfast.edge.presence.seconds", "From append to the last watcher", c.toWatchers);
  }

  private void connections(EdgeCounters c, Sessions sessions) {
    scrape.gauge("holdfast.edge.connections", "Sockets that are open", sessions::size);
    scrape.gauge(
        "holdfast.edge.connections.awaiting",
        "Sockets that have neither their welcome nor a close",
        sessions::awaitingWelcome);
    scrape.gauge(
        "holdfast.edge.clients.doubled",
        "Clients with more than one connection on this edge",
        sessions::clientsWithSeveral);
    scrape.counter("holdfast.edge.connects", "Sockets that were upgraded", c.connectionsOpened);
    scrape.counter("holdfast.edge.disconnects", "Sockets that ended", c.connectionsEnded);
    scrape.tally("holdfast.edge.handshakes", "Answers to handshakes", c.handshakes, "outcome");
    scrape.tally("holdfast.edge.welcomes", "Welcomes by what was resumed", c.welcomes, "outcome");
    scrape.tally(
        "holdfast.edge.http.answers",
        "Answers over HTTP, handshakes aside",
        c.httpAnswers,
        "path",
        "status");
    scrape.counter(
        "holdfast.edge.accept.pauses",
        "Times that no socket was accepted until others were gone",
        c.acceptPauses);
    for (Refusal refusal : Refusal.values()) {
      scrape.counter(
          "holdfast.edge.turned.away",
          "Sockets, handshakes, users and frames beyond a limit",
          c.turnedAway(refusal),
          "limit",
          refusal.label());
    }
    for (CloseCode code : CloseCode.values()) {
      scrape.counter(
          "holdfast.edge.closes",
          "Closes that this edge decided on",
          c.closes(code),
          "code",
          Integer.toString(code.code()),
          "reason",
          code.reason());
    }
  }

  private void frames(EdgeCounters c) {
    scrape.counter("holdfast.edge.frames.in", "Frames from clients", c.framesIn);
    scrape.counter("holdfast.edge.frames.out", "Frames queued for clients", c.framesOut);
    scrape.counter("holdfast.edge.bytes.in", "Bytes of frames from clients", c.bytesIn);
    scrape.counter("holdfast.edge.bytes.out", "Bytes of frames queued for clients", c.bytesOut);
    for (ErrorCode code : ErrorCode.values()) {
      scrape.counter(
          "holdfast.edge.frames.refused",
          "Frames that were answered with an error",
          c.refusals(code),
          "code",
          code.wire());
    }
    scrape.counter("holdfast.edge.pings.sent", "PINGs to silent connections", c.pingsSent);
    scrape.counter(
        "holdfast.edge.heartbeats.missed",
        "Connections dropped since nothing came after a PING",
        c.heartbeatsMissed);
    scrape.counter("holdfast.edge.gaps", "Messages beyond the next seq", c.gaps);
    scrape.counter(
        "holdfast.edge.repeats.dropped", "Messages the connection had", c.repeatsDropped);
  }

  private void kafka(EdgeCounters c) {
    scrape.latency("holdfast.edge.to.kafka.seconds", "From offer to acknowledgement", c.toKafka);
    scrape.latency("holdfast.edge.to.socket.seconds", "From append to hand-over", c.toSocket);
    scrape.latency("holdfast.edge.history.seconds", "From question to answer", c.toAnswer);
    scrape.counter(
        "holdfast.edge.history.unanswered",
        "Questions for a history without an answer in time",
        c.queriesUnanswered);
    scrape.counter("holdfast.edge.records.stored", "Records that Kafka has", c.stored);
    scrape.counter("holdfast.edge.records.not.stored", "Records that Kafka refused", c.notStored);
    scrape.counter(
        "holdfast.edge.ingress.refused", "Offers that found no room towards Kafka", c.overloaded);
    scrape.counter(
        "holdfast.edge.events.dropped",
        "Acknowledgements and resyncs that found no room",
        c.eventsDropped);
    scrape.counter(
        "holdfast.edge.deliveries.dropped",
        "Deliveries for a connection that is gone",
        c.deliveriesDropped);
    scrape.counter(
        "holdfast.edge.deliveries.misaddressed",
        "Deliveries that name another user's connection",
        c.deliveriesMisaddressed);
    scrape.counter(
        "holdfast.edge.deliveries.unreadable",
        "Deliveries that could not be read",
        c.deliveriesUnreadable);
    scrape.counter(
        "holdfast.edge.incarnations.lost",
        "Times the edge closed all connections since deliveries may be lost",
        c.incarnationsLost);
  }

  /** The page for Prometheus. */
  public byte[] page() {
    return scrape.page();
  }

  @Override
  public void close() {
    scrape.close();
  }
}
