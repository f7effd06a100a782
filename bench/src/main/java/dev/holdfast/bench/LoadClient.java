package dev.holdfast.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A cheap client: it parses only what it measures, acknowledges every few messages, and never
 * reconnects. Thread-safe.
 */
final class LoadClient implements WebSocket.Listener {
  /** Acknowledge at the latest after so many messages. */
  private static final int ACK_EVERY = 8;

  /** Sees what arrives; runs on the HTTP client's threads. */
  interface Listener {
    /** A message with its payload's {@code due} in {@link System#nanoTime}; -1 when it has none. */
    void message(LoadClient client, long seq, long dueNanos);

    /** The socket is open; {@code hello} goes next. */
    default void opened(LoadClient client) {}

    /** The hello was answered. */
    default void welcomed(LoadClient client) {}

    /** The backlog is through. */
    default void synced(LoadClient client) {}

    /** A user who is watched has come or gone. */
    default void presence(LoadClient client, String frame) {}

    /** Something the measurement does not expect: an error frame, a close or a failed socket. */
    default void trouble(LoadClient client, String what) {
      System.out.println(client.user + ": " + what);
    }
  }

  final String user;
  private final Listener listener;
  private final Queue<String> outbox = new ArrayDeque<>();
  private final CompletableFuture<LoadClient> welcomed = new CompletableFuture<>();
  private final StringBuilder partial = new StringBuilder();
  private @Nullable WebSocket socket;
  private boolean sending;
  private volatile boolean ended;
  private volatile String welcome = "";
  private long lastSeq;
  private long acked;

  private LoadClient(String user, long lastSeq, Listener listener) {
    this.user = user;
    this.lastSeq = lastSeq;
    this.acked = lastSeq;
    this.listener = listener;
  }

  /** Connects and says hello; completes with the welcome. */
  static CompletableFuture<LoadClient> connect(
      HttpClient http, URI edge, String user, long lastSeq, Listener listener) {
    LoadClient client = new LoadClient(user, lastSeq, listener);
    return http.newWebSocketBuilder()
        .subprotocols("holdfast.v1")
        .buildAsync(edge, client)
        .thenCompose(
            socket -> {
              client.opened(socket);
              return client.welcomed;
            });
  }

  private void opened(WebSocket open) {
    synchronized (this) {
      socket = open;
    }
    listener.opened(this);
    send("{\"type\":\"hello\",\"clientId\":\"" + user + "\",\"lastSeq\":" + lastSeq + "}");
  }

  /** Sends {@code payload} to one user. */
  void message(String to, long id, String payload) {
    send(
        "{\"type\":\"send\",\"clientMsgId\":\""
            + id
            + "\",\"to\":{\"user\":\""
            + to
            + "\"},\"payload\":"
            + payload
            + '}');
  }

  /** Watches users, at most as many as a frame takes. */
  void watch(List<String> users) {
    send("{\"type\":\"watch\",\"users\":[\"" + String.join("\",\"", users) + "\"]}");
  }

  synchronized long lastSeq() {
    return lastSeq;
  }

  private void send(String frame) {
    synchronized (this) {
      outbox.add(frame);
      if (sending) {
        return;
      }
      sending = true;
    }
    next();
  }

  /** One send at a time: the JDK's client refuses two. */
  private void next() {
    String frame;
    WebSocket on;
    synchronized (this) {
      frame = outbox.poll();
      on = socket;
      if (frame == null || on == null) {
        sending = false;
        return;
      }
    }
    CompletableFuture<?> unused =
        on.sendText(frame, true)
            .whenComplete(
                (ok, error) -> {
                  if (error == null) {
                    next();
                  } else {
                    failed(error);
                  }
                });
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    CharSequence text = data;
    if (!last || partial.length() > 0) {
      partial.append(data);
      if (!last) {
        from.request(1);
        return null;
      }
      text = partial.toString();
      partial.setLength(0);
    }
    frame(text.toString());
    from.request(1);
    return null;
  }

  private void frame(String text) {
    if (text.startsWith("{\"type\":\"message\"")) {
      long seq = number(text, "\"seq\":");
      long due = number(text, "\"due\":");
      long ack = received(seq);
      listener.message(this, seq, due);
      if (ack > 0) {
        send("{\"type\":\"ack\",\"seq\":" + ack + '}');
      }
    } else if (text.startsWith("{\"type\":\"welcome\"")) {
      welcome = text;
      listener.welcomed(this);
      welcomed.complete(this);
    } else if (text.startsWith("{\"type\":\"presence\"")) {
      listener.presence(this, text);
    } else if (text.startsWith("{\"type\":\"sync\"")) {
      listener.synced(this);
    } else if (text.startsWith("{\"type\":\"error\"")) {
      listener.trouble(this, text);
    }
  }

  /** Returns the seq to acknowledge now, or 0. */
  private synchronized long received(long seq) {
    lastSeq = Math.max(lastSeq, seq);
    if (lastSeq - acked < ACK_EVERY) {
      return 0;
    }
    acked = lastSeq;
    return acked;
  }

  private static long number(String text, String field) {
    int at = text.indexOf(field);
    if (at < 0) {
      return -1;
    }
    long value = 0;
    for (int i = at + field.length(); i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        break;
      }
      value = value * 10 + (c - '0');
    }
    return value;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    failed(new IllegalStateException("closed with " + code + " " + reason));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    failed(error);
  }

  private void failed(Throwable error) {
    if (!welcomed.completeExceptionally(error) && !ended) {
      listener.trouble(this, error + " " + System.currentTimeMillis() + welcome);
    }
  }

  void abort() {
    ended = true;
    WebSocket open;
    synchronized (this) {
      open = socket;
    }
    if (open != null) {
      open.abort();
    }
  }
}
