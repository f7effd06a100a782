package dev.holdfast.edge.session;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeChannels;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.presence.FakePresence;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.FrameReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One session between a socket, a log and a clock that the test turns by hand. */
final class Rig implements Transport {
  final FakeLog log = new FakeLog();
  final FakeChannels channels = new FakeChannels();
  final Sessions sessions = new Sessions();
  final EdgeCounters counters = new EdgeCounters();
  final AckFlusher flusher = new AckFlusher();
  final EdgeIdentity identity = new EdgeIdentity("edge-1", 3, 1_700_000_000_000L, new Random(1));
  final FakePresence presence = new FakePresence();
  final List<String> sent = new ArrayList<>();
  final List<Runnable> later = new ArrayList<>();
  final Session session;
  CloseCode closed = CloseCode.NORMAL;
  String reason = "";
  boolean open = true;
  boolean aborted;
  boolean reading = true;
  boolean full;
  boolean nodeFull;
  long heldBytes;
  long queuedBytes;
  int pings;
  long handed;
  long nowMs = START_MS;
  private static final long START_MS = 1_000_000;

  Rig() {
    this(AuthConfig.OFF, null, ConnectionGuard.NONE);
  }

  /**
   * @param handshake what the upgrade's token said
   */
  Rig(AuthConfig auth, @Nullable Credential handshake) {
    this(auth, handshake, ConnectionGuard.NONE);
  }

  Rig(ConnectionGuard guard) {
    this(AuthConfig.OFF, null, guard);
  }

  private Rig(AuthConfig auth, @Nullable Credential handshake, ConnectionGuard guard) {
    InstantSource clock = () -> Instant.ofEpochMilli(Jwts.NOW_S * 1_000 + nowMs - START_MS);
    log.holdOutcomes = true;
    session =
        sessions.open(
            this,
            new SessionContext(
                log,
                Limits.DEFAULT,
                new FrameReader(Limits.DEFAULT),
                counters,
                identity,
                sessions,
                flusher,
                (delayMs, task) -> later.add(task),
                () -> nowMs,
                clock,
                new Random(2),
                Access.of(auth, clock, () -> nowMs),
                channels,
                presence),
            handshake,
            guard);
  }

  /** A session that has its welcome. */
  static Rig live() {
    return live(ConnectionGuard.NONE);
  }

  static Rig live(ConnectionGuard guard) {
    Rig rig = new Rig(guard);
    rig.text("{'type':'hello','clientId':'c','lastSeq':0}");
    rig.session.onWelcome(FakeLog.welcome(0));
    rig.sent.clear();
    return rig;
  }

  /** A frame from the client, with ' for ". */
  void text(String json) {
    session.onText(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  void sendMessage(String id) {
    text("{'type':'send','clientMsgId':'" + id + "','to':{'user':'bob'},'payload':0}");
  }

  /** The newest frame to the client; it stays. */
  String last() {
    return sent.isEmpty() ? "nothing" : sent.get(sent.size() - 1);
  }

  /** The next frame to the client. */
  String next() {
    return sent.isEmpty() ? "nothing" : sent.remove(0);
  }

  void pass(long ms) {
    nowMs += ms;
    flusher.flush(nowMs);
    sessions.sweep(nowMs);
  }

  @Override
  public boolean send(byte[] frame, long seq) {
    if (open && !full) {
      sent.add(new String(frame, StandardCharsets.UTF_8));
      handed = Math.max(handed, seq);
    }
    return !full;
  }

  @Override
  public boolean sendAhead(byte[] frame) {
    return send(frame, 0);
  }

  @Override
  public void ping() {
    pings++;
  }

  @Override
  public void close(CloseCode code) {
    open = false;
    closed = code;
  }

  @Override
  public void closeReason(String text) {
    reason = text;
  }

  @Override
  public void abort() {
    aborted = true;
    session.onSocketClosed();
  }

  @Override
  public long queuedBytes() {
    return queuedBytes;
  }

  @Override
  public boolean hold(long bytes) {
    heldBytes += nodeFull ? 0 : bytes;
    return !nodeFull;
  }

  @Override
  public void letGo(long bytes) {
    heldBytes -= bytes;
  }

  @Override
  public long handedSeq() {
    return handed;
  }

  @Override
  public void suspendReads() {
    reading = false;
  }

  @Override
  public void resumeReads() {
    reading = true;
  }
}
