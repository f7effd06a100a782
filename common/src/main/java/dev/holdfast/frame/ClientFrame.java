package dev.holdfast.frame;

import dev.holdfast.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A frame that a client sends, already checked: names are valid, numbers in range. */
public sealed interface ClientFrame {

  /** Dispatch that the compiler checks for completeness. */
  interface Cases<R> {
    R ping(Ping ping);

    R hello(Hello hello);

    R ack(Ack ack);

    R send(Send send);

    R auth(Auth auth);

    R post(Post post);

    R subscribe(Subscribe subscribe);

    R unsubscribe(Unsubscribe unsubscribe);

    R watch(Watch watch);

    R unwatch(Unwatch unwatch);
  }

  /** Calls the case that fits this frame. */
  <R> R match(Cases<R> cases);

  /**
   * {@code {"type":"ping","ts":n}}; the literal {@code ping} never gets this far.
   *
   * @param ts whatever the client put there, echoed; milliseconds since 1970 by custom
   */
  record Ping(@Nullable RawJson ts) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.ping(this);
    }
  }

  /**
   * The first frame of a connection.
   *
   * @param clientId the installation's own, kept name
   * @param user the user's name; believed while authentication is off
   * @param lastSeq last seq the client handed to its app; absent when it never had one
   * @param epoch the mailbox's epoch as {@code welcome} told it
   * @param attempt larger at each connection of this client
   * @param token a credential; not to be logged
   * @param sessionToken what an earlier welcome gave
   * @param channels subscriptions that begin with the connection
   * @param watch users whose presence is told from the welcome on
   */
  record Hello(
      String clientId,
      @Nullable String user,
      @Nullable Long lastSeq,
      @Nullable String epoch,
      @Nullable Long attempt,
      @Nullable String token,
      @Nullable String sessionToken,
      List<Wanted> channels,
      List<String> watch)
      implements ClientFrame {
    /** Without tokens, channels and watches. */
    public Hello(
        String clientId,
        @Nullable String user,
        @Nullable Long lastSeq,
        @Nullable String epoch,
        @Nullable Long attempt) {
      this(clientId, user, lastSeq, epoch, attempt, null, null, List.of(), List.of());
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.hello(this);
    }

    /** Without the tokens. */
    @Override
    public String toString() {
      return "Hello[" + clientId + ", " + user + ", " + lastSeq + "]";
    }
  }

  /** Everything up to and including {@code seq} was handed to the app. */
  record Ack(long seq) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.ack(this);
    }
  }

  /** A message for one user or several, in the order named, without repeats. */
  record Send(String clientMsgId, List<String> users, RawJson payload) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.send(this);
    }
  }

  /** A new credential for the connection; not to be logged. */
  record Auth(String token) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.auth(this);
    }

    /** Without the token. */
    @Override
    public String toString() {
      return "Auth[]";
    }
  }

  /** A message for a channel. */
  record Post(String clientMsgId, String channel, RawJson payload) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.post(this);
    }
  }

  /** Events of these channels are to follow; each is named once. */
  record Subscribe(List<Wanted> channels) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.subscribe(this);
    }
  }

  /** No more events of these channels. */
  record Unsubscribe(List<String> channels) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.unsubscribe(this);
    }
  }

  /** The presence of these users is to be told, now and at each change; each is named once. */
  record Watch(List<String> users) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.watch(this);
    }
  }

  /** No more of these users' presence. */
  record Unwatch(List<String> users) implements ClientFrame {
    @Override
    public <R> R match(Cases<R> cases) {
      return cases.unwatch(this);
    }
  }
}
