package dev.holdfast.edge.session;

import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.frame.BadFrame;
import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.ServerFrames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One connection's frames from the client: what each does in each state. Between hello and welcome
 * frames are held in order, except pings; a full store stops reading from the socket. Runs under
 * its session's lock.
 */
final class Inbound implements ClientFrame.Cases<Boolean> {
  /** Bytes of frames held before the welcome at which reading stops. */
  private static final int HELD_BYTES = 64 * 1024;

  private static final byte[] PING = "ping".getBytes(StandardCharsets.US_ASCII);

  private final Session session;
  private final SessionContext context;
  private final Transport transport;
  private final Passport passport;
  private final RateGate rate;
  private final Queue<ClientFrame> held = new ArrayDeque<>(2);
  private int heldBytes;
  private int frameBytes;
  private boolean readsSuspended;
  private List<String> watchFirst = List.of();
  private @Nullable Watches watches;

  Inbound(
      Session session,
      SessionContext context,
      Transport transport,
      Passport passport,
      ConnectionGuard guard) {
    this.session = session;
    this.context = context;
    this.transport = transport;
    this.passport = passport;
    this.rate = new RateGate(session, context, transport, guard);
  }

  /** Takes a literal ping of a connection that has not ended: nothing is parsed or allocated. */
  void ping() {
    if (rate.takes(PING.length)) {
      pong();
    }
  }

  private void pong() {
    if (!rate.refuses(null, null)) {
      session.replies().pong();
    }
  }

  /** Takes a text frame of a connection that has not ended. */
  void text(byte[] utf8) {
    if (!rate.takes(utf8.length)) {
      return;
    }
    if (Arrays.equals(utf8, PING)) {
      pong();
      return;
    }
    frameBytes = utf8.length;
    try {
      take(context.reader().read(utf8));
    } catch (BadFrame e) {
      session.replies().refuse(e.code(), e.text(), e.clientMsgId(), e.channel(), -1);
      if (e.code() == ErrorCode.INVALID_JSON) {
        session.close(CloseCode.PROTOCOL_ERROR);
      }
    }
  }

  /** Whether the user may connect now; otherwise the connection has ended. */
  boolean admits(String user) {
    return rate.admits(user);
  }

  /** The welcome came: takes what was held, then reads on. */
  void takeHeld() {
    rate.reset();
    if (!watchFirst.isEmpty()) {
      watches().watch(watchFirst);
      watchFirst = List.of();
    }
    ClientFrame next = held.poll();
    while (next != null && session.live()) {
      take(next);
      next = held.poll();
    }
    drop();
    if (readsSuspended && session.live()) {
      readsSuspended = false;
      transport.resumeReads();
    }
  }

  /** Looks after what waits for room; to be called about once a second. */
  void sweep() {
    if (watches != null) {
      watches.sweep();
    }
  }

  /** Most connections never have any. */
  private Watches watches() {
    Watches mine = watches;
    if (mine == null) {
      mine = new Watches(session, context, transport, passport::mayWatch);
      watches = mine;
    }
    return mine;
  }

  /** The connection ended. */
  void end() {
    drop();
    if (watches != null) {
      watches.end();
    }
  }

  /** Nothing is held any more. */
  private void drop() {
    rate.helloDone();
    held.clear();
    transport.letGo(heldBytes);
    heldBytes = 0;
  }

  @Override
  public Boolean ping(ClientFrame.Ping ping) {
    if (session.awaitingHello()) {
      return helloExpected("hello must be the first frame");
    }
    if (rate.refuses(null, null)) {
      return true;
    }
    session.replies().ahead(ServerFrames.pong(ping.ts(), session.newestSent()));
    return true;
  }

  @Override
  public Boolean hello(ClientFrame.Hello hello) {
    if (!session.awaitingHello()) {
      return helloExpected("hello came twice");
    }
    watchFirst = hello.watch();
    session.onHello(hello);
    return true;
  }

  @Override
  public Boolean ack(ClientFrame.Ack ack) {
    if (session.live()) {
      session.onAck(ack.seq());
      return true;
    }
    return hold(ack);
  }

  @Override
  public Boolean send(ClientFrame.Send send) {
    if (session.live()) {
      session.onSend(send, rate);
      return true;
    }
    return hold(send);
  }

  @Override
  public Boolean auth(ClientFrame.Auth auth) {
    if (session.live()) {
      if (!rate.refuses(null, null)) {
        passport.renew(auth.token());
        if (watches != null) {
          watches.narrowed();
        }
      }
      return true;
    }
    return hold(auth);
  }

  @Override
  public Boolean post(ClientFrame.Post post) {
    if (session.live()) {
      session.onPost(post, rate);
      return true;
    }
    return hold(post);
  }

  @Override
  public Boolean subscribe(ClientFrame.Subscribe subscribe) {
    if (session.live()) {
      if (!rate.refusesChannels(subscribe.channels())) {
        session.subscriptions().subscribe(subscribe.channels());
      }
      return true;
    }
    return hold(subscribe);
  }

  @Override
  public Boolean unsubscribe(ClientFrame.Unsubscribe unsubscribe) {
    if (session.live()) {
      session.subscriptions().unsubscribe(unsubscribe.channels());
      return true;
    }
    return hold(unsubscribe);
  }

  @Override
  public Boolean watch(ClientFrame.Watch watch) {
    if (!session.live()) {
      return hold(watch);
    }
    if (!rate.refusesUsers(watch.users())) {
      watches().watch(watch.users());
    }
    return true;
  }

  @Override
  public Boolean unwatch(ClientFrame.Unwatch unwatch) {
    if (!session.live()) {
      return hold(unwatch);
    }
    if (watches != null) {
      watches.unwatch(unwatch.users());
    }
    return true;
  }

  private void take(ClientFrame frame) {
    boolean taken = frame.match(this);
    if (!taken) {
      session.close(CloseCode.PROTOCOL_ERROR);
    }
  }

  private boolean helloExpected(String why) {
    session.replies().refuse(ErrorCode.HELLO_EXPECTED, why, null, null, -1);
    return false;
  }

  private boolean hold(ClientFrame frame) {
    if (session.awaitingHello()) {
      return helloExpected("hello must be the first frame");
    }
    if (!transport.hold(frameBytes)) {
      session.close(CloseCode.TRY_AGAIN_LATER);
      return true;
    }
    held.add(frame);
    heldBytes += frameBytes;
    boolean full = held.size() >= context.limits().pendingFrames() || heldBytes > HELD_BYTES;
    if (full && !readsSuspended) {
      readsSuspended = true;
      transport.suspendReads();
    }
    return true;
  }
}
