package dev.holdfast.edge.socket;

import dev.holdfast.edge.session.Session;
import dev.holdfast.frame.CloseCode;
import io.undertow.websockets.core.AbstractReceiveListener;
import io.undertow.websockets.core.BufferedBinaryMessage;
import io.undertow.websockets.core.CloseMessage;
import io.undertow.websockets.core.StreamSourceFrameChannel;
import io.undertow.websockets.core.WebSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;

/**
 * What one connection receives, on its I/O thread. Text frames are gathered as bytes, never as a
 * String, over however many fragments; beyond the limit, and after a binary frame, the connection
 * closes and the rest is read and thrown away, since a socket that is dropped with unread bytes
 * loses the close frame on its way out.
 */
final class FrameListener extends AbstractReceiveListener {
  private static final int CHUNK = 16 * 1024;
  private static final ThreadLocal<ByteBuffer> SCRATCH =
      ThreadLocal.withInitial(() -> ByteBuffer.allocate(CHUNK));

  private final Session session;
  private final int frameBytes;

  FrameListener(Session session, int frameBytes) {
    this.session = session;
    this.frameBytes = frameBytes;
  }

  @Override
  protected void onText(WebSocketChannel channel, StreamSourceFrameChannel frame) {
    new TextReader(channel).handleEvent(frame);
  }

  @Override
  protected void onBinary(WebSocketChannel channel, StreamSourceFrameChannel frame) {
    session.close(CloseCode.UNSUPPORTED_DATA);
    discard(frame);
  }

  @Override
  protected long getMaxTextBufferSize() {
    return frameBytes;
  }

  @Override
  protected long getMaxBinaryBufferSize() {
    return frameBytes;
  }

  /** Answers the client's close, or, when it is the answer to ours, ends the socket. */
  @Override
  protected void onFullCloseMessage(WebSocketChannel channel, BufferedBinaryMessage message)
      throws IOException {
    boolean answer = channel.isCloseFrameSent();
    super.onFullCloseMessage(channel, message);
    if (answer) {
      IoUtils.safeClose(channel);
    }
  }

  /** The client's close, or the end of the stream without one: then nobody is left to talk to. */
  @Override
  protected void onCloseMessage(CloseMessage message, WebSocketChannel channel) {
    if (channel.isCloseFrameSent()) {
      IoUtils.safeClose(channel);
    }
  }

  /** A broken stream or broken framing; Undertow has said what was wrong, if anybody listens. */
  @Override
  protected void onError(WebSocketChannel channel, Throwable error) {
    IoUtils.safeClose(channel);
  }

  private static void discard(StreamSourceFrameChannel frame) {
    frame.getReadSetter().set(ChannelListeners.drainListener(Long.MAX_VALUE, null, null));
    frame.wakeupReads();
  }

  /** Gathers one text message. */
  private final class TextReader implements ChannelListener<StreamSourceFrameChannel> {
    private final WebSocketChannel channel;
    private final FrameBytes gathered = new FrameBytes(frameBytes);
    private boolean waiting;
    private boolean done;

    TextReader(WebSocketChannel channel) {
      this.channel = channel;
    }

    @Override
    public void handleEvent(StreamSourceFrameChannel frame) {
      try {
        while (!done) {
          ByteBuffer chunk = SCRATCH.get().clear();
          int read = frame.read(chunk);
          if (read == 0) {
            await(frame);
            return;
          }
          if (read < 0) {
            finish(frame);
          } else {
            gather(frame, chunk.flip());
          }
        }
      } catch (IOException e) {
        done = true;
        frame.suspendReads();
        onError(channel, e);
      }
    }

    private void await(StreamSourceFrameChannel frame) {
      if (!waiting) {
        waiting = true;
        frame.getReadSetter().set(this);
        frame.resumeReads();
      }
    }

    private void gather(StreamSourceFrameChannel frame, ByteBuffer chunk) {
      if (!gathered.add(chunk)) {
        done = true;
        session.close(CloseCode.TOO_LARGE);
        discard(frame);
      }
    }

    private void finish(StreamSourceFrameChannel frame) {
      done = true;
      if (waiting) {
        frame.suspendReads();
      }
      session.onText(gathered.toBytes());
    }
  }
}
