package dev.holdfast.client.net;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.port.Timers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link WebSocket} without its traps: sends may overlap here and wait for each other; the end is
 * told once, also when a send fails; a frame in parts is put together, up to a limit; an attempt
 * that was given up does not leave a connection behind.
 */
final class JdkSocket implements Socket, WebSocket.Listener {
  /** A server's frames have about 100 KiB at most. */
  private static final int MOST_CHARS = 4 << 20;

  private static final int MOST_WAITING = 10_000;
  private static final long GOODBYE_MS = 2_000;
  private static final int TOO_BIG = 1009;

  private final SocketListener listener;
  private final Timers timers;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final StringBuilder partial = new StringBuilder();
  private final ArrayDeque<Function<WebSocket, CompletableFuture<WebSocket>>> waiting =
      new ArrayDeque<>();
  private volatile @Nullable WebSocket socket;
  private volatile boolean aborted;
  private boolean sending;

  JdkSocket(SocketListener listener, Timers timers) {
    this.listener = listener;
    this.timers = timers;
  }

  /** What became of the handshake; also after this side has given it up. */
  void opening(CompletableFuture<WebSocket> handshake) {
    CompletableFuture<?> unused =
        handshake.whenComplete(
            (opened, error) -> {
              if (error != null) {
                end(refused(error));
              } else if (aborted) {
                opened.abort();
              }
            });
  }

  private static Ended refused(Throwable error) {
    Throwable cause = error;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof WebSocketHandshakeException refusal && refusal.getResponse() != null) {
      return new Ended(
          1006,
          "refused",
          refusal.getResponse().statusCode(),
          JdkTransport.retryAfterMs(refusal.getResponse().headers()));
    }
    return Ended.broken("unreachable: " + cause);
  }

  private void end(Ended how) {
    if (ended.compareAndSet(false, true)) {
      listener.ended(how);
    }
  }

  // ---- what the JDK tells

  @Override
  public void onOpen(WebSocket opened) {
    socket = opened;
    if (aborted) {
      opened.abort();
      return;
    }
    listener.opened();
    opened.request(1);
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    if (partial.length() + data.length() > MOST_CHARS) {
      close(TOO_BIG, "too_large");
      end(Ended.broken("a frame above " + MOST_CHARS + " characters"));
      return null;
    }
    partial.append(data);
    if (last) {
      String text = partial.toString();
      partial.setLength(0);
      listener.text(text); // which asks for more once it is dealt with
    } else {
      from.request(1);
    }
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    from.request(1); // none of this protocol
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    end(Ended.closed(code, reason));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    end(Ended.broken(error.toString()));
  }

  // ---- what the client asks

  @Override
  public void send(String text) {
    queue(open -> open.sendText(text, true));
  }

  @Override
  public void close(int code, String reason) {
    if (socket == null) {
      abort();
      return;
    }
    timers.schedule(GOODBYE_MS, this::abort);
    queue(open -> open.sendClose(code, reason));
  }

  private void queue(Function<WebSocket, CompletableFuture<WebSocket>> send) {
    boolean full;
    synchronized (waiting) {
      full = waiting.size() >= MOST_WAITING;
      if (!full) {
        waiting.add(send);
      }
    }
    if (full) {
      abort();
      end(Ended.broken("the server reads nothing"));
    } else {
      sendNext();
    }
  }

  private void sendNext() {
    WebSocket open = socket;
    Function<WebSocket, CompletableFuture<WebSocket>> next;
    synchronized (waiting) {
      if (sending || open == null) {
        return;
      }
      next = waiting.poll();
      sending = next != null;
    }
    if (next != null) {
      CompletableFuture<?> unused = next.apply(open).whenComplete((done, error) -> sent(error));
    }
  }

  private void sent(@Nullable Throwable error) {
    synchronized (waiting) {
      sending = false;
    }
    if (error == null) {
      sendNext();
    } else {
      abort();
      end(Ended.broken("send failed: " + error));
    }
  }

  @Override
  public void abort() {
    aborted = true;
    WebSocket open = socket;
    if (open != null) {
      open.abort();
    }
  }

  @Override
  public void more() {
    WebSocket open = socket;
    if (open != null) {
      open.request(1);
    }
  }
}
