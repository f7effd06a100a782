package dev.holdfast.edge.session;

import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Position;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.frame.Wanted;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection's channels. Runs under its session's lock; what the channels send comes on their
 * threads and takes the lock through the session.
 */
final class Subscriptions {
  /** Told to a client whose subscription may come again, in milliseconds. */
  private static final long RETRY_AFTER_MS = 1_000;

  private final Session session;
  private final SessionContext context;
  private final Transport transport;
  private final Passport passport;
  private final Map<String, One> byName = new HashMap<>();

  Subscriptions(Session session, SessionContext context, Transport transport, Passport passport) {
    this.session = session;
    this.context = context;
    this.transport = transport;
    this.passport = passport;
  }

  void subscribe(List<Wanted> channels) {
    for (Wanted wanted : channels) {
      subscribe(wanted);
    }
  }

  private void subscribe(Wanted wanted) {
    String name = wanted.channel();
    ChannelName channel = ChannelName.of(name);
    Namespace namespace = channel == null ? null : context.channels().namespace(channel);
    if (channel == null || namespace == null) {
      refuse(ErrorCode.NO_SUCH_CHANNEL, "no namespace serves " + name, name);
      return;
    }
    if (!passport.maySubscribe(namespace, name)) {
      refuse(ErrorCode.FORBIDDEN, "the token does not allow to read this channel", name);
      return;
    }
    Position from = wanted.position() == null ? null : Position.parse(wanted.position());
    if (wanted.position() != null && from == null) {
      refuse(ErrorCode.BAD_FRAME, "position is none that a server gave out", name);
      return;
    }
    Double rate = wanted.maxRate();
    if (rate != null && namespace.mode() != Mode.LATEST) {
      refuse(ErrorCode.BAD_FRAME, "maxRate is for channels of mode latest", name);
      return;
    }
    begin(new One(name), namespace, channel, from, rate == null ? 0 : rate);
  }

  private void begin(
      One one, Namespace namespace, ChannelName channel, @Nullable Position from, double rate) {
    One before = byName.get(one.name);
    int most = context.channels().mostPerConnection();
    if (before == null && byName.size() >= most) {
      refuse(ErrorCode.TOO_MANY, "at most " + most + " channels a connection", one.name);
      return;
    }
    if (before != null) {
      before.end();
    }
    one.handle = context.channels().subscribe(namespace, channel, from, rate, one);
    if (one.handle == null) {
      byName.remove(one.name);
      refuse(ErrorCode.OVERLOADED, "this node has too many subscriptions", one.name);
    } else {
      byName.put(one.name, one);
    }
  }

  void unsubscribe(List<String> channels) {
    for (String name : channels) {
      One one = byName.remove(name);
      if (one != null) {
        one.end();
      }
      session.replies().send(ServerFrames.unsubscribed(name), 0);
    }
  }

  /** The token was renewed: what it no longer allows ends. */
  void review() {
    for (One one : List.copyOf(byName.values())) {
      ChannelName channel = ChannelName.of(one.name);
      Namespace namespace = channel == null ? null : context.channels().namespace(channel);
      if (namespace == null || !passport.maySubscribe(namespace, one.name)) {
        byName.remove(one.name);
        one.end();
        refuse(ErrorCode.FORBIDDEN, "the new token does not allow to read this channel", one.name);
      }
    }
  }

  /** The connection ends. */
  void end() {
    byName.values().forEach(One::end);
    byName.clear();
  }

  private void refuse(ErrorCode code, String why, String channel) {
    long retryAfterMs = code.retryable() ? RETRY_AFTER_MS : -1;
    session.replies().refuse(code, why, null, channel, retryAfterMs);
  }

  /** One subscription's way to the client. */
  final class One implements Channels.Listener {
    private final String name;
    private Channels.@Nullable Handle handle;
    private boolean over;

    One(String name) {
      this.name = name;
    }

    /** Whether its events are still wanted; asked under the session's lock. */
    boolean wanted() {
      return !over;
    }

    void end() {
      over = true;
      if (handle != null) {
        handle.close();
      }
    }

    @Override
    public void send(byte[] frame) {
      session.onEvent(this, frame);
    }

    @Override
    public long queued() {
      return transport.queuedBytes();
    }

    @Override
    public void unavailable(String why) {
      session.whileLive(
          () -> {
            if (!over) {
              over = true;
              byName.remove(name, this);
              refuse(ErrorCode.UNAVAILABLE, why, name);
            }
          });
    }

    @Override
    public void stalled() {
      session.close(CloseCode.SLOW_CONSUMER);
    }
  }
}
