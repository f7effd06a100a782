package dev.holdfast.edge.session;

import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.metrics.Latency;
import dev.holdfast.metrics.Tally;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** What one edge node counts since its start. Read by a metrics endpoint, written by anybody. */
public final class EdgeCounters {
  /** Sockets that were upgraded. */
  public final LongAdder connectionsOpened = new LongAdder();

  /** Sockets that ended. */
  public final LongAdder connectionsEnded = new LongAdder();

  /** How often accepting was paused, for too many sockets were no WebSockets. */
  public final LongAdder acceptPauses = new LongAdder();

  /** Upgrades that were refused with 503. */
  public final LongAdder upgradesRefused = new LongAdder();

  /** Upgrades that were refused with 403: a page of an origin that is not allowed. */
  public final LongAdder upgradesForbidden = new LongAdder();

  /** Upgrades whose bearer token was refused, with 401, or could not be checked, with 503. */
  public final LongAdder upgradesUnauthorized = new LongAdder();

  /** Requests to publish that were refused for want of a good token, or of the right to. */
  public final LongAdder publishesUnauthorized = new LongAdder();

  /** Requests for a history that were refused for want of a good token, or of the right to. */
  public final LongAdder queriesUnauthorized = new LongAdder();

  /** Questions to the log that got no answer in time. */
  public final LongAdder queriesUnanswered = new LongAdder();

  /** Requests to read that were refused for want of a good token, or of the right to. */
  public final LongAdder readsUnauthorized = new LongAdder();

  /** Application frames from clients. */
  public final LongAdder framesIn = new LongAdder();

  /** Frames queued for clients. */
  public final LongAdder framesOut = new LongAdder();

  /** Frames that were answered with an {@code error}. */
  public final LongAdder framesRefused = new LongAdder();

  /** Protocol-level PINGs sent to silent connections. */
  public final LongAdder pingsSent = new LongAdder();

  /** Connections dropped since nothing came after a PING. */
  public final LongAdder heartbeatsMissed = new LongAdder();

  /** Messages that came with a seq beyond the next one. */
  public final LongAdder gaps = new LongAdder();

  /** Messages that a connection already had. */
  public final LongAdder repeatsDropped = new LongAdder();

  /** Deliveries for a connection that is gone, or that is not ready for them. */
  public final LongAdder deliveriesDropped = new LongAdder();

  /** Deliveries that name a connection of another user than their key. */
  public final LongAdder deliveriesMisaddressed = new LongAdder();

  /** Records of {@code holdfast.deliveries} that could not be read. */
  public final LongAdder deliveriesUnreadable = new LongAdder();

  /** Offers that the full queue towards Kafka, or towards one of its partitions, refused. */
  public final LongAdder overloaded = new LongAdder();

  /** Acknowledgements and resyncs that found no room; the next one or a roster heals it. */
  public final LongAdder eventsDropped = new LongAdder();

  /** Records that Kafka refused. */
  public final LongAdder notStored = new LongAdder();

  /** Records that Kafka has on all in-sync replicas. */
  public final LongAdder stored = new LongAdder();

  /** Times the edge gave up its incarnation. */
  public final LongAdder incarnationsLost = new LongAdder();

  /** Bytes of application frames from clients. */
  public final LongAdder bytesIn = new LongAdder();

  /** Bytes of frames queued for clients. */
  public final LongAdder bytesOut = new LongAdder();

  /** Answers to handshakes: {@code accepted}, or the code of the problem. */
  public final Tally handshakes =
      new Tally(
          "accepted",
          "overloaded",
          "rate_limited",
          "unknown_subprotocol",
          "upgrade_required",
          "unauthorized",
          "forbidden",
          "keys_unavailable");

  /** Answers over HTTP, as path and status with a space between. */
  public final Tally httpAnswers = new Tally();

  /** Welcomes: {@code resumed}, or the reason why not. */
  public final Tally welcomes = new Tally("resumed", "new", "epoch", "ahead", "gap", "expired");

  /** From an event's offer until Kafka has it on all in-sync replicas. */
  public final Latency toKafka = new Latency();

  /** From the append of a message's cause until the message is queued for its socket. */
  public final Latency toSocket = new Latency();

  /** From a question to the log until its answer. */
  public final Latency toAnswer = new Latency();

  private final Map<CloseCode, LongAdder> closes = new EnumMap<>(CloseCode.class);
  private final Map<ErrorCode, LongAdder> refusals = new EnumMap<>(ErrorCode.class);
  private final Map<Refusal, LongAdder> turnedAway = new EnumMap<>(Refusal.class);

  public EdgeCounters() {
    for (CloseCode code : CloseCode.values()) {
      closes.put(code, new LongAdder());
    }
    for (ErrorCode code : ErrorCode.values()) {
      refusals.put(code, new LongAdder());
    }
    for (Refusal refusal : Refusal.values()) {
      turnedAway.put(refusal, new LongAdder());
    }
  }

  /** Counts an application frame from a client. */
  public void frameIn(int bytes) {
    framesIn.increment();
    bytesIn.add(bytes);
  }

  /** Counts a frame queued for a client. */
  public void frameOut(int bytes) {
    framesOut.increment();
    bytesOut.add(bytes);
  }

  /** Counts a frame that was answered with an {@code error}. */
  public void refused(ErrorCode code) {
    framesRefused.increment();
    refusals(code).increment();
  }

  /** Frames that were answered with this code. */
  public LongAdder refusals(ErrorCode code) {
    return Objects.requireNonNull(refusals.get(code));
  }

  /** Closes that this edge decided on, with this code. */
  public LongAdder closes(CloseCode code) {
    return Objects.requireNonNull(closes.get(code));
  }

  /** Counts a close that this edge decided on. */
  public void closed(CloseCode code) {
    closes(code).increment();
  }

  /** Who and what was turned away for this reason. */
  public LongAdder turnedAway(Refusal refusal) {
    return Objects.requireNonNull(turnedAway.get(refusal));
  }

  /** Who and what was turned away, by {@link Refusal#label()}. */
  public Map<String, Long> turnedAway() {
    Map<String, Long> sums = new TreeMap<>();
    turnedAway.forEach((refusal, adder) -> sums.put(refusal.label(), adder.sum()));
    return sums;
  }

  /** Closes decided on by this edge, by {@link CloseCode#reason()}. */
  public Map<String, Long> closes() {
    Map<String, Long> sums = new TreeMap<>();
    closes.forEach((code, adder) -> sums.put(code.reason(), adder.sum()));
    return sums;
  }
}
