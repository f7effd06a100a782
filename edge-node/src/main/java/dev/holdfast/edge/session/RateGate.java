package dev.holdfast.edge.session;

import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.Wanted;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the limits on frames and users mean for a connection. A frame beyond them is refused, with
 * two exceptions: an acknowledgement is taken, since refusing it would only keep the window shut,
 * and so is what ends a subscription or a watch; and what must wait for the welcome waits, since
 * there the socket is soon not read any more. They count towards the excess, after which the
 * connection closes. Runs under its session's lock.
 */
final class RateGate {
  /** Channels or users that one error names. */
  static final int NAMED = 100;

  private static final String TOO_FAST = "this connection sends more than it may";
  private static final String TOO_MANY =
      "this user writes to more users for the first time than it may";

  private final Session session;
  private final SessionContext context;
  private final Transport transport;
  private final ConnectionGuard guard;
  private long limitedMs;

  RateGate(Session session, SessionContext context, Transport transport, ConnectionGuard guard) {
    this.session = session;
    this.context = context;
    this.transport = transport;
    this.guard = guard;
  }

  /** Counts a frame; false when it was one too many for the connection, which has ended. */
  boolean takes(int bytes) {
    limitedMs = guard.frame(bytes, context.ticker().getAsLong());
    if (limitedMs == 0) {
      return true;
    }
    context.counters().turnedAway(Refusal.FRAME_RATE).increment();
    if (!guard.flooding()) {
      return true;
    }
    context.counters().turnedAway(Refusal.FRAME_FLOOD).increment();
    close(guard.bannedMs());
    return false;
  }

  /** What is taken from here on was judged before. */
  void reset() {
    limitedMs = 0;
  }

  /** What a send that is beyond the limits is told. */
  String why() {
    return limitedMs > 0 ? TOO_FAST : TOO_MANY;
  }

  /**
   * 0 when a send of {@code user} is within the limits; otherwise the milliseconds until it may
   * come again.
   */
  long limitedMs(String user, List<String> to) {
    if (limitedMs > 0) {
      return limitedMs;
    }
    long waitMs = guard.newRecipients(user, to, context.ticker().getAsLong());
    if (waitMs > 0) {
      context.counters().turnedAway(Refusal.NEW_RECIPIENTS).increment();
    }
    return waitMs;
  }

  /** The same of what is for no user: 0, or the milliseconds until it may come again. */
  long limitedMs() {
    return limitedMs;
  }

  /** Refuses the frame when it is beyond the limits; returns whether it did. */
  boolean refuses(@Nullable String clientMsgId, @Nullable String channel) {
    if (limitedMs == 0) {
      return false;
    }
    session.replies().refuse(ErrorCode.RATE_LIMITED, TOO_FAST, clientMsgId, channel, limitedMs);
    return true;
  }

  /** As {@link #refuses}, of a frame that names channels: the client is told each of them. */
  boolean refusesChannels(List<Wanted> channels) {
    if (limitedMs == 0) {
      return false;
    }
    List<String> names = channels.stream().map(Wanted::channel).toList();
    for (int from = 0; from < names.size(); from += NAMED) {
      List<String> some = names.subList(from, Math.min(names.size(), from + NAMED));
      session.replies().refuseChannels(ErrorCode.RATE_LIMITED, TOO_FAST, some, limitedMs);
    }
    return true;
  }

  /** The same of one that names users. */
  boolean refusesUsers(List<String> users) {
    if (limitedMs == 0) {
      return false;
    }
    for (int from = 0; from < users.size(); from += NAMED) {
      List<String> some = users.subList(from, Math.min(users.size(), from + NAMED));
      session.replies().refuse(ErrorCode.RATE_LIMITED, TOO_FAST, some, limitedMs);
    }
    return true;
  }

  /** Whether the user may connect now; otherwise the connection has ended. */
  boolean admits(String user) {
    helloDone();
    long waitMs = guard.user(user);
    if (waitMs == 0) {
      return true;
    }
    context.counters().turnedAway(Refusal.USER_RATE).increment();
    close(waitMs);
    return false;
  }

  void helloDone() {
    guard.helloDone();
  }

  /** The number at the end of the reason is part of the protocol. */
  private void close(long retryAfterMs) {
    transport.closeReason(CloseCode.RATE_LIMITED.reason() + " retryAfterMs=" + retryAfterMs);
    session.close(CloseCode.RATE_LIMITED);
  }
}
