package dev.holdfast.edge.session;

import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.session.Phase.State;
import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.Welcome;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from the upgrade to its end.
 *
 * <pre>
 *                  hello                    welcome (from the log)
 *  AWAITING_HELLO ───────> AWAITING_WELCOME ──────────────────────> LIVE
 *        │ no hello: 4408        │ no welcome: 1013                   │ idle 4003, stalled 4004,
 *        │                       │ frames are held, in order          │ replaced 4002, ...
 *        └───────────────────────┴──────────────> ENDED <─────────────┘
 * </pre>
 *
 * A session ends when somebody decides so, not when the socket is finally gone: the disconnect
 * event leaves at once, and a socket that will not close is dropped a little later. Frames come
 * from an I/O thread, deliveries from the egress thread, outcomes from the producer's and time-outs
 * from the ticker; the session's own lock orders them, and nothing that it calls blocks.
 */
public final class Session {
  /** Connections that must come back at another time are closed within this many milliseconds. */
  static final int SPREAD_MS = 3_000;

  /** Milliseconds that a closed socket has to finish its close handshake. */
  static final long CLOSE_GRACE_MS = 5_000;

  private final String connId;
  private final Transport transport;
  private final SessionContext context;
  private final Inbound inbound;
  private final Passport passport;
  private final Phase phase;
  private final Pulse pulse;
  private final Watchdog watchdog;
  private final Replies replies;
  private final Subscriptions subscriptions;
  private boolean leaving;
  private boolean logKnows;
  private @Nullable Who who;
  private ClientFrame.@Nullable Hello asked;
  private @Nullable Upstream upstream;
  private @Nullable Downstream downstream;

  Session(
      String connId,
      Transport transport,
      SessionContext context,
      @Nullable Credential credential,
      ConnectionGuard guard) {
    this.connId = connId;
    this.transport = transport;
    this.context = context;
    this.replies = new Replies(this, transport, context.counters());
    this.passport = new Passport(this, context, credential);
    this.inbound = new Inbound(this, context, transport, passport, guard);
    this.phase = new Phase(connId, context.ticker());
    this.pulse = new Pulse(context.limits(), phase.sinceMs());
    this.watchdog = new Watchdog(this, context, transport, passport, phase, pulse);
    this.subscriptions = new Subscriptions(this, context, transport, passport);
  }

  /** The connection's name in the log. */
  public String connId() {
    return connId;
  }

  /** Whether it is a connection of {@code user}; of nobody before its hello. */
  public synchronized boolean isOf(String user) {
    return who != null && who.user().equals(user);
  }

  /** Whose connection it is; null before its hello and after its end. */
  synchronized @Nullable Who owner() {
    return phase.is(State.ENDED) ? null : who;
  }

  /** A text frame came in. */
  public synchronized void onText(byte[] utf8) {
    if (!phase.is(State.ENDED)) {
      context.counters().frameIn(utf8.length);
      pulse.frame(context.ticker().getAsLong());
      inbound.text(utf8);
    }
  }

  /** The literal {@code ping} came in: nothing is parsed, nothing allocated. */
  public synchronized void onPing() {
    if (!phase.is(State.ENDED)) {
      context.counters().frameIn(ServerFrames.PONG.length);
      pulse.frame(context.ticker().getAsLong());
      inbound.ping();
    }
  }

  /** Something came in that is no whole application frame: the client's network stack lives. */
  public void onLife() {
    pulse.seen(context.ticker().getAsLong());
  }

  /** The socket is gone, whoever ended it. */
  public synchronized void onSocketClosed() {
    end("socket_closed");
    context.sessions().remove(this);
    context.counters().connectionsEnded.increment();
  }

  /** Ends the connection; the first reason counts. */
  public synchronized void close(CloseCode code) {
    if (!phase.is(State.ENDED)) {
      context.counters().closed(code);
      end(code.reason());
      transport.close(code);
    }
  }

  /** Ends the connection with 1012 at some time within the next 3 s. */
  public synchronized void closeSpread() {
    if (!phase.is(State.ENDED) && !leaving) {
      leaving = true;
      long delayMs = context.random().nextInt(SPREAD_MS);
      context.later().run(delayMs, () -> close(CloseCode.SERVICE_RESTART));
    }
  }

  /** The log's answer to the hello; only the first counts. */
  public synchronized void onWelcome(Welcome welcome) {
    Who client = who;
    Downstream down = downstream;
    ClientFrame.Hello hello = asked;
    if (!phase.is(State.AWAITING_WELCOME) || client == null || down == null || hello == null) {
      context.counters().repeatsDropped.increment();
      return;
    }
    asked = null;
    down.start(welcome);
    phase.become(State.LIVE, who, "welcome");
    context.sessions().settled();
    pulse.start(phase.sinceMs(), context.random().nextInt());
    replies.send(client.welcome(welcome, context), 0);
    subscriptions.subscribe(hello.channels());
    inbound.takeHeld();
  }

  /** Messages of the user's mailbox from {@code seq} on, as the frames that go to the socket. */
  public synchronized void onMessages(long seq, byte[] frames) {
    if (phase.is(State.LIVE) && downstream != null) {
      downstream.messages(seq, frames, context.ticker().getAsLong());
    } else {
      context.counters().deliveriesDropped.increment();
    }
  }

  /** The backlog up to {@code cursor} is through. */
  public synchronized void onSync(long cursor, byte[] frame) {
    if (phase.is(State.LIVE) && downstream != null) {
      downstream.sync(cursor, frame, context.ticker().getAsLong());
    }
  }

  /** The window is full; the last message in it is {@code seq}. */
  public synchronized void onHeld(long seq) {
    if (phase.is(State.LIVE) && downstream != null) {
      downstream.held(seq, context.ticker().getAsLong());
    }
  }

  /** The log ended the connection, so it needs no telling. */
  public synchronized void onClose(CloseCode code) {
    logKnows = true;
    if (code == CloseCode.SERVICE_RESTART) {
      closeSpread();
    } else {
      close(code);
    }
  }

  /** Looks after the time-outs. */
  synchronized void sweep(long nowMs) {
    watchdog.sweep(nowMs, who, downstream);
    inbound.sweep();
  }

  synchronized void closeIf(boolean condition, CloseCode code) {
    if (condition) {
      close(code);
    }
  }

  synchronized void flushAcks(long nowMs) {
    if (phase.is(State.LIVE) && downstream != null) {
      downstream.flushAcks(nowMs);
    }
  }

  /** Does what an outcome asks for, unless the connection has ended. */
  synchronized void whileLive(Runnable task) {
    if (phase.is(State.LIVE)) {
      task.run();
    }
  }

  boolean awaitingHello() {
    return phase.is(State.AWAITING_HELLO);
  }

  boolean live() {
    return phase.is(State.LIVE);
  }

  long newestSent() {
    return downstream == null ? 0 : downstream.newestSent(transport);
  }

  void onHello(ClientFrame.Hello hello) {
    Who client = passport.admit(hello);
    if (client == null || !inbound.admits(client.user())) {
      return;
    }
    if (context
        .sink()
        .offer(
            client.key(),
            client.connect(hello, context),
            stored -> closeIf(!stored, CloseCode.TRY_AGAIN_LATER))) {
      who = client;
      asked = hello;
      upstream = new Upstream(this, context, client, passport);
      downstream = new Downstream(this, context, client);
      phase.become(State.AWAITING_WELCOME, who, "hello");
    } else {
      close(CloseCode.TRY_AGAIN_LATER);
    }
  }

  void onAck(long seq) {
    if (downstream != null) {
      downstream.ack(seq, context.ticker().getAsLong());
    }
  }

  void onSend(ClientFrame.Send send, RateGate rate) {
    if (upstream != null) {
      upstream.send(send, rate);
    }
  }

  void onPost(ClientFrame.Post post, RateGate rate) {
    if (upstream != null) {
      upstream.post(post, rate);
    }
  }

  /** An event of a channel, unless it is not wanted any more. */
  synchronized void onEvent(Subscriptions.One to, byte[] frame) {
    if (phase.is(State.LIVE) && to.wanted()) {
      replies.send(frame, 0);
    }
  }

  Subscriptions subscriptions() {
    return subscriptions;
  }

  Replies replies() {
    return replies;
  }

  /** Ends it without a word to the client. */
  void end(String reason) {
    if (phase.is(State.ENDED)) {
      return;
    }
    if (!phase.is(State.LIVE)) {
      context.sessions().settled();
    }
    phase.become(State.ENDED, who, reason);
    inbound.end();
    subscriptions.end();
    Who client = who;
    if (client == null) {
      return;
    }
    if (logKnows) {
      context.sink().forget(client.user(), connId, client.edge());
      return;
    }
    if (downstream != null) {
      downstream.finish(phase.sinceMs());
    }
    boolean unused = context.sink().offer(client.key(), client.disconnect(reason), null);
  }
}
