package dev.holdfast.testkit.sim;

import dev.holdfast.RawJson;
import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.Transport;
import dev.holdfast.frame.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/** A connection with latency both ways. It can break so that either side learns of it, or none. */
final class SimSocket implements Transport {
  private static final int QUEUE_BYTES = 64 * 1024;

  private record Frame(RawJson json, long seq) {}

  private final World world;
  private final SimEdge edge;
  private final SimClient client;
  private final Session session;
  private final Deque<Frame> down = new ArrayDeque<>();
  private final Deque<byte[]> up = new ArrayDeque<>();
  private final long latencyMs;
  private long queued;
  private long handed;
  private boolean welcomed;
  private boolean closing;
  private boolean silent;
  private boolean deaf;
  private boolean gone;
  private boolean readsSuspended;
  private boolean downScheduled;
  private boolean upScheduled;
  private long slowUntil;

  SimSocket(World world, SimEdge edge, SimClient client) {
    this.world = world;
    this.edge = edge;
    this.client = client;
    this.latencyMs = world.between(0, 20);
    this.session = edge.accept(this);
  }

  Session session() {
    return session;
  }

  /** Whether both sides have it and neither has begun to end it. */
  boolean open() {
    return !closing && !gone && !silent;
  }

  /** The client, for people. */
  String client() {
    return client.clientId + " of " + client.user;
  }

  boolean welcomed() {
    return welcomed;
  }

  /** Takes no messages for now; for the edge whose filter is left out. */
  void deaf(boolean now) {
    deaf = now;
  }

  // The client's side.

  void upward(String frame) {
    if (!gone && !silent) {
      up.add(frame.getBytes(StandardCharsets.UTF_8));
      wakeUp();
    }
  }

  /** The client reads nothing for a while. */
  void readSlowly(long ms) {
    slowUntil = world.now() + ms;
  }

  /** The client closes. */
  void hangUp() {
    end(!silent, false);
  }

  /** The connection breaks and both sides are told. */
  void reset() {
    end(true, true);
  }

  /** The connection breaks and nobody is told; what is under way is lost. */
  void silence() {
    silent = true;
    up.clear();
    down.clear();
  }

  private void end(boolean tellEdge, boolean tellClient) {
    if (gone) {
      return;
    }
    gone = tellEdge || edge.crashed();
    silent = true;
    if (tellEdge) {
      edge.closed(this);
      world.after(latencyMs, () -> edge.run(session::onSocketClosed));
    }
    if (tellClient) {
      world.after(latencyMs, () -> client.onClosed(this, 1006));
    }
  }

  private void wakeUp() {
    if (!upScheduled && !up.isEmpty() && !readsSuspended) {
      upScheduled = true;
      world.after(latencyMs, () -> edge.run(this::arriveUp));
    }
  }

  private void arriveUp() {
    upScheduled = false;
    while (!up.isEmpty() && !readsSuspended && !gone) {
      session.onText(up.remove());
    }
  }

  // The edge's side.

  @Override
  public boolean send(byte[] frame, long seq) {
    if (closing || gone || silent || (deaf && seq > 0)) {
      return true;
    }
    queued += frame.length;
    if (queued > QUEUE_BYTES) {
      return false;
    }
    welcomed = true;
    down.add(new Frame(RawJson.of(frame), seq));
    wakeDown();
    return true;
  }

  @Override
  public boolean sendAhead(byte[] frame) {
    return send(frame, 0);
  }

  /** Answered by the client's network stack, however busy its application is. */
  @Override
  public void ping() {
    if (!gone && !silent) {
      world.after(2 * latencyMs, () -> edge.run(this::arrivePong));
    }
  }

  private void arrivePong() {
    if (!gone && !silent) {
      session.onLife();
    }
  }

  private void wakeDown() {
    if (!downScheduled && !down.isEmpty()) {
      downScheduled = true;
      world.after(latencyMs + Math.max(0, slowUntil - world.now()), this::arriveDown);
    }
  }

  private void arriveDown() {
    downScheduled = false;
    while (!down.isEmpty() && !silent) {
      Frame frame = down.remove();
      queued -= frame.json().size();
      handed = Math.max(handed, frame.seq());
      client.onFrame(this, frame.json().utf8());
    }
  }

  @Override
  public void close(CloseCode code) {
    if (closing || gone) {
      return;
    }
    closing = true;
    if (code == CloseCode.SLOW_CONSUMER) {
      down.clear();
    }
    long wait = latencyMs + Math.max(0, slowUntil - world.now()) + 1;
    world.after(wait, () -> finishClose(code));
  }

  private void finishClose(CloseCode code) {
    if (!silent) {
      client.onClosed(this, code.code());
    }
    end(true, false);
  }

  @Override
  public void abort() {
    end(true, true);
  }

  @Override
  public long queuedBytes() {
    return queued;
  }

  @Override
  public long handedSeq() {
    return handed;
  }

  @Override
  public void suspendReads() {
    readsSuspended = true;
  }

  @Override
  public void resumeReads() {
    readsSuspended = false;
    wakeUp();
  }
}
