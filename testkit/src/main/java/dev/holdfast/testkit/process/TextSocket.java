package dev.holdfast.testkit.process;

import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * {@link WebSocket} with its two traps removed: sends may overlap (they are queued here), and the
 * end is told exactly once, also when a send fails or this side aborts.
 */
final class TextSocket implements WebSocket.Listener {
  /** No close frame came: the connection broke. */
  static final int ABNORMAL = 1006;

  /** What the owner is told, never from two threads at once for frames. */
  interface Events {
    void frame(String text);

    void ended(int code, String reason);
  }

  private final Events events;
  private final StringBuilder partial = new StringBuilder();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile @Nullable WebSocket socket;
  private volatile boolean readingPaused;
  private CompletableFuture<?> lastSend = CompletableFuture.completedFuture(null);

  TextSocket(Events events) {
    this.events = events;
  }

  @Override
  public void onOpen(WebSocket opened) {
    socket = opened;
    opened.request(1);
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    partial.append(data);
    if (last) {
      String text = partial.toString();
      partial.setLength(0);
      events.frame(text);
    }
    if (!readingPaused) {
      from.request(1);
    }
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    from.request(1);
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    end(code, reason);
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    end(ABNORMAL, error.toString());
  }

  void sendText(String text) {
    send(socket -> socket.sendText(text, true));
  }

  void sendBinary(byte[] bytes) {
    send(socket -> socket.sendBinary(ByteBuffer.wrap(bytes), true));
  }

  /** Says goodbye and lets the server answer. */
  void sendClose(int code, String reason) {
    send(socket -> socket.sendClose(code, reason));
  }

  private interface Send {
    CompletableFuture<WebSocket> on(WebSocket socket);
  }

  private void send(Send send) {
    WebSocket open = socket;
    if (open == null) {
      throw new IllegalStateException("not open yet");
    }
    CompletableFuture<?> next;
    synchronized (this) {
      next = lastSend.thenCompose(before -> send.on(open));
      lastSend = next;
    }
    CompletableFuture<?> unused =
        next.whenComplete(
            (done, error) -> {
              if (error != null) {
                abort("send failed: " + error);
              }
            });
  }

  /** Reads no further, so that the server's queue for this connection fills. */
  void pauseReading() {
    readingPaused = true;
  }

  void resumeReading() {
    WebSocket open = socket;
    if (readingPaused && open != null) {
      readingPaused = false;
      open.request(1);
    }
  }

  /** Drops the connection without a close frame. */
  void abort(String why) {
    WebSocket open = socket;
    if (open != null) {
      open.abort();
    }
    end(ABNORMAL, why);
  }

  private void end(int code, String reason) {
    if (ended.compareAndSet(false, true)) {
      events.ended(code, reason);
    }
  }
}
