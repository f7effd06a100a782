package dev.holdfast.edge.session;

import dev.holdfast.channel.Namespace;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.auth.TokenVerifier;
import dev.holdfast.edge.auth.Verdict;
import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.ServerFrames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection's credential: whose the connection is, what it may do, and until when. With
 * authentication off it lets everything through. Runs under its session's lock.
 *
 * <p>The end is judged by the wall clock, like the token itself. A renewal may change what is
 * allowed, never whose the connection is.
 */
final class Passport {
  private final Session session;
  private final SessionContext context;
  private @Nullable Credential credential;
  private long noticeMs;
  private boolean noticed;

  /**
   * @param fromHandshake what the upgrade's header was found to say; null without one
   */
  Passport(Session session, SessionContext context, @Nullable Credential fromHandshake) {
    this.session = session;
    this.context = context;
    if (fromHandshake != null) {
      hold(fromHandshake);
    }
  }

  /** Whose the connection is; null when {@code hello} was refused and the connection closed. */
  @Nullable Who admit(ClientFrame.Hello hello) {
    String user = user(hello);
    return user == null
        ? null
        : new Who(user, hello.clientId(), session.connId(), context.identity().current());
  }

  private @Nullable String user(ClientFrame.Hello hello) {
    TokenVerifier tokens = context.access().tokens();
    if (tokens == null) {
      return hello.user() == null ? hello.clientId() : hello.user();
    }
    String token = hello.token();
    if (token != null) {
      Verdict verdict = tokens.verify(token);
      if (verdict instanceof Verdict.Unavailable) {
        session.close(CloseCode.TRY_AGAIN_LATER);
        return null;
      }
      if (!take(verdict)) {
        return null;
      }
    }
    Credential mine = credential;
    if (mine == null) {
      unauthorized("a token is needed: in hello, or as bearer of the handshake");
    } else if (mine.endsMs() <= context.clock().millis()) {
      unauthorized("the token has expired");
    } else if (hello.user() != null && !hello.user().equals(mine.user())) {
      forbidden("hello names another user than the token");
    } else {
      return mine.user();
    }
    return null;
  }

  /** Whether messages to all of {@code users} are allowed. */
  boolean maySend(List<String> users) {
    Credential mine = credential;
    return mine == null || mine.grants().send().allowAll(users);
  }

  /** Whether the channel may be read. */
  boolean maySubscribe(Namespace namespace, String channel) {
    Credential mine = credential;
    return mine == null || mine.grants().maySubscribe(namespace, channel);
  }

  /** Whether the channel may be written to, where the namespace lets clients. */
  boolean mayPost(Namespace namespace, String channel) {
    Credential mine = credential;
    return mine == null || mine.grants().mayPost(namespace, channel);
  }

  /** Whether {@code user}'s presence may be seen; everybody's where the token says nothing. */
  boolean mayWatch(String user) {
    Credential mine = credential;
    return mine == null || mine.grants().mayWatch(user);
  }

  /** The client brings a new token. */
  void renew(String token) {
    TokenVerifier tokens = context.access().tokens();
    if (tokens == null) {
      refuse(ErrorCode.UNSUPPORTED, "authentication is off", -1);
      return;
    }
    Verdict verdict = tokens.verify(token);
    if (verdict instanceof Verdict.Unavailable later) {
      refuse(ErrorCode.KEYS_UNAVAILABLE, "tokens cannot be checked now", later.retryAfterMs());
    } else if (take(verdict) && credential != null) {
      session.replies().send(ServerFrames.auth(credential.endsMs()), 0);
      session.subscriptions().review();
    }
  }

  /** Tells the client that the end is near, and ends the connection when it is there. */
  void sweep() {
    Credential mine = credential;
    if (mine == null) {
      return;
    }
    long nowMs = context.clock().millis();
    if (nowMs >= mine.endsMs()) {
      session.close(CloseCode.UNAUTHORIZED);
    } else if (nowMs >= noticeMs && !noticed) {
      noticed = true;
      long left = (mine.endsMs() - nowMs + 999) / 1_000;
      refuse(ErrorCode.TOKEN_EXPIRING, "the token ends in " + left + " s; renew it by auth", -1);
    }
  }

  /** Keeps the credential; or refuses it, closes the connection and returns false. */
  private boolean take(Verdict verdict) {
    Credential before = credential;
    if (verdict instanceof Verdict.Accepted accepted) {
      Credential now = accepted.credential();
      if (before == null || before.user().equals(now.user())) {
        hold(now);
        return true;
      }
      forbidden("the token is another user's");
    } else if (verdict instanceof Verdict.Rejected rejected) {
      unauthorized(rejected.why());
    }
    return false;
  }

  private void hold(Credential now) {
    credential = now;
    noticeMs = now.noticeMs(context.clock().millis());
    noticed = false;
  }

  private void unauthorized(String why) {
    refuse(ErrorCode.UNAUTHORIZED, why, -1);
    session.close(CloseCode.UNAUTHORIZED);
  }

  private void forbidden(String why) {
    refuse(ErrorCode.FORBIDDEN, why, -1);
    session.close(CloseCode.FORBIDDEN);
  }

  private void refuse(ErrorCode code, String why, long retryAfterMs) {
    session.replies().refuse(code, why, null, null, retryAfterMs);
  }
}
