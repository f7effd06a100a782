package dev.holdfast.testkit.sim;

import dev.holdfast.Limits;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.presence.Presence;
import dev.holdfast.edge.session.AckFlusher;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.FrameReader;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.WelcomeCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One edge from its start to its end: the real sessions between simulated sockets and topics. */
final class SimEdge {
  /** The defaults, but less to queue and shorter times, so that a run meets them. */
  private static final Limits LIMITS = limits(Limits.DEFAULT);

  private static final FrameReader READER = new FrameReader(LIMITS);

  final String id;
  private final World world;
  private final Plan plan;
  private final DeliveryLog deliveries;
  private final EdgeIdentity identity;
  private final Sessions sessions = new Sessions();
  private final AckFlusher flusher = new AckFlusher();
  private final SimProducer producer;
  private final SessionContext context;
  private final List<Runnable> deferred = new ArrayList<>();
  private final List<SimSocket> sockets = new ArrayList<>();
  private boolean crashed;
  private boolean paused;
  private boolean polling;
  private int position;
  private int ticks;

  SimEdge(String id, World world, Plan plan, SimLog log, DeliveryLog deliveries) {
    this.id = id;
    this.world = world;
    this.plan = plan;
    this.deliveries = deliveries;
    int partition = (id.hashCode() & 0x7FFF) % plan.deliveryPartitions();
    this.identity = new EdgeIdentity(id, partition, world.now(), world.random);
    this.producer = new SimProducer(world, log, identity, this);
    this.context =
        new SessionContext(
            producer,
            LIMITS,
            READER,
            new EdgeCounters(),
            identity,
            sessions,
            flusher,
            (delayMs, task) -> world.after(delayMs, () -> run(task)),
            world::now,
            () -> Instant.ofEpochMilli(world.now()),
            world.random,
            Access.OPEN,
            Channels.NONE,
            Presence.NONE);
    this.position = deliveries.end(partition);
    deliveries.onAppend(this::wake);
    tick();
  }

  private static Limits limits(Limits d) {
    return new Limits(
        d.frameBytes(),
        d.payloadBytes(),
        d.jsonDepth(),
        d.recipients(),
        1024 * 1024,
        d.nodeQueueBytes(),
        d.pendingFrames(),
        d.awaitingWelcome(),
        d.ingressRecords(),
        d.ingressBytes(),
        d.maxConnections(),
        d.publishes(),
        d.bodyTimeoutMs(),
        d.helloTimeoutMs(),
        10_000,
        10_000,
        d.heartbeatIntervalMs(),
        d.heartbeatTimeoutMs(),
        45_000);
  }

  /** Whether it works at all right now. */
  boolean running() {
    return !crashed && !paused;
  }

  boolean crashed() {
    return crashed;
  }

  SimProducer producer() {
    return producer;
  }

  Session accept(SimSocket socket) {
    sockets.add(socket);
    return sessions.open(socket, context);
  }

  void closed(SimSocket socket) {
    sockets.remove(socket);
  }

  /** Runs it now, or when the edge wakes up, or never when it has crashed. */
  void run(Runnable task) {
    if (paused && !crashed) {
      deferred.add(task);
    } else if (!crashed) {
      task.run();
    }
  }

  void crash() {
    world.note(id, "crashes");
    crashed = true;
    deferred.clear();
    List.copyOf(sockets).forEach(SimSocket::reset);
  }

  void pause() {
    world.note(id, "sleeps");
    paused = true;
  }

  void resume() {
    if (!paused) {
      return;
    }
    world.note(id, "wakes up");
    paused = false;
    List<Runnable> tasks = List.copyOf(deferred);
    deferred.clear();
    tasks.forEach(this::run);
    producer.wake();
    wake();
  }

  /** Gives up its incarnation, as an edge does that may have missed deliveries. */
  void renew() {
    if (running()) {
      world.note(id, "takes a new incarnation");
      identity.renew(world.now());
      sessions.restartAll();
    }
  }

  private void tick() {
    if (crashed) {
      return;
    }
    world.after(100, this::tick);
    if (paused) {
      return;
    }
    flusher.flush(world.now());
    ticks++;
    if (ticks % 2 == 0) {
      producer.rosters();
    }
    if (ticks % 10 == 0) {
      sessions.sweep(world.now());
    }
  }

  private void wake() {
    if (!polling && running() && position < deliveries.end(identity.current().partition())) {
      polling = true;
      world.after(world.between(0, 2), this::poll);
    }
  }

  private void poll() {
    polling = false;
    int partition = identity.current().partition();
    int end = deliveries.end(partition);
    while (running() && position < end) {
      Delivery next = deliveries.read(partition, position++);
      if (next.to().key().equals(identity.current().key())) {
        take(next);
      }
    }
    wake();
  }

  private void take(Delivery d) {
    if (d.kind() == Delivery.Kind.MESSAGE && plan.roomy() && world.fault(150)) {
      world.note(id, "does not see", d);
      if (world.chance(2)) {
        world.after(world.between(1, 3_000), () -> run(() -> dispatch(d)));
      }
      return;
    }
    dispatch(d);
  }

  private void dispatch(Delivery d) {
    if (d.kind() == Delivery.Kind.ROSTER_WANTED) {
      producer.rosterWanted((int) d.seq());
      return;
    }
    Session session = sessions.get(d.connId());
    if (session != null) {
      world.note(id, d.kind(), d.connId(), d.seq());
      dispatch(session, d);
    }
  }

  private void dispatch(Session session, Delivery d) {
    byte[] value = d.value().utf8();
    switch (d.kind()) {
      case WELCOME -> welcome(session, value);
      case MESSAGE -> messages(session, d.seq(), value);
      case SYNC -> session.onSync(d.seq(), value);
      case HELD -> session.onHeld(d.seq());
      case CLOSE -> close(session, code(ServerFrame.read(value).number("code")));
      case ROSTER_WANTED, HISTORY -> throw new IllegalStateException("not for a session");
    }
  }

  private void messages(Session session, long seq, byte[] value) {
    SimSocket socket = plan.variant() == Variant.NO_FILTER ? socketOf(session) : null;
    if (socket == null) {
      session.onMessages(seq, value);
    } else {
      socket.deaf(true);
      session.onMessages(seq, value);
      socket.deaf(false);
      long next = seq;
      for (byte[] frame : ServerFrame.each(value)) {
        if (socket.welcomed()) {
          socket.send(frame, next);
        }
        next++;
      }
    }
  }

  private void close(Session session, CloseCode code) {
    SimSocket socket = socketOf(session);
    if (code == CloseCode.SERVICE_RESTART
        && socket != null
        && socket.open()
        && !deliveries.wasKeptBack(session.connId())) {
      String complaint = producer.liveness().complaint(session.connId(), world.now());
      if (complaint != null) {
        throw new Violation(
            "the log ends " + session.connId() + " of " + socket.client() + ", " + complaint);
      }
    }
    session.onClose(code);
  }

  private @Nullable SimSocket socketOf(Session session) {
    for (SimSocket socket : sockets) {
      if (socket.session() == session) {
        return socket;
      }
    }
    return null;
  }

  private static void welcome(Session session, byte[] value) {
    try {
      session.onWelcome(WelcomeCodec.read(value));
    } catch (BadRecord e) {
      throw new Violation("an unreadable welcome: " + e.detail());
    }
  }

  private static CloseCode code(long number) {
    for (CloseCode code : CloseCode.values()) {
      if (code.code() == number) {
        return code;
      }
    }
    throw new Violation("unknown close code " + number);
  }
}
