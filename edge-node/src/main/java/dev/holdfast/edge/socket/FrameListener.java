package dev.holdfast.edge.socket;

import dev.holdfast.edge.session.Session;
import dev.holdfast.frame.CloseCode;
import io.undertow.websockets.core.AbstractReceiveListener;
import io.undertow.websockets.core.BufferedBinaryMessage;
import io.undertow.websockets.core.CloseMessage;
import io.undertow.websockets.core.StreamSourceFrameChannel;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;

/**
 * What one connection receives, on its I/O thread. A text frame that is there whole is read into a
 * buffer of the thread: a literal {@code ping} is recognised there and costs no allocation,
 * another is copied once. One that comes in parts is gathered as bytes, never as a String, on the
 * node's account of queued bytes. Beyond the limit, and after a binary frame, the connection closes
 * and the rest is read and thrown away, since a socket that is dropped with unread bytes loses the
 * close frame on its way out.
 */
final class FrameListener extends AbstractReceiveListener {

  private final Session session;
  private final SocketTransport transport;
  private final int frameBytes;
  private @Nullable TextReader gathering;
  private boolean saidGoodbye;

  FrameListener(Session session, SocketTransport transport, int frameBytes) {
    this.session = session;
    this.transport = transport;
    this.frameBytes = frameBytes;
  }

  /** The socket is gone: a frame that came in part will never be whole. */
  void gone() {
    TextReader reader = gathering;
    if (reader != null) {
      reader.done();
    }
  }

  @Override
  protected void onText(WebSocketChannel channel, StreamSourceFrameChannel frame)
      throws IOException {
    ByteBuffer chunk = Scratch.cleared();
    int read = 1;
    while (read > 0 && chunk.hasRemaining()) {
      read = frame.read(chunk);
    }
    chunk.flip();
    if (read < 0 && chunk.remaining() <= frameBytes) {
      whole(chunk);
    } else {
      TextReader reader = new TextReader(channel);
      gathering = reader;
      reader.begin(frame, chunk);
    }
  }

  private void whole(ByteBuffer chunk) {
    if (isPing(chunk)) {
      if (!saidGoodbye) {
        session.onPing();
      }
      return;
    }
    byte[] bytes = new byte[chunk.remaining()];
    chunk.get(bytes);
    transport.writeFirst();
    text(bytes);
  }

  private void text(byte[] bytes) {
    if (!saidGoodbye) {
      session.onText(bytes);
    }
  }

  static boolean isPing(ByteBuffer chunk) {
    return chunk.remaining() == 4
        && chunk.get(0) == 'p'
        && chunk.get(1) == 'i'
        && chunk.get(2) == 'n'
        && chunk.get(3) == 'g';
  }

  /** Answered through the connection's own queue: Undertow's answers would be unbounded. */
  @Override
  protected void onFullPingMessage(WebSocketChannel channel, BufferedBinaryMessage message) {
    session.onLife();
    transport.protocolPong(bytes(message));
  }

  @Override
  protected void onFullPongMessage(WebSocketChannel channel, BufferedBinaryMessage message) {
    session.onLife();
    message.getData().free();
  }

  private static byte[] bytes(BufferedBinaryMessage message) {
    var data = message.getData();
    try {
      ByteBuffer whole = WebSockets.mergeBuffers(data.getResource());
      byte[] bytes = new byte[whole.remaining()];
      whole.get(bytes);
      return bytes;
    } finally {
      data.free();
    }
  }

  @Override
  protected void onBinary(WebSocketChannel channel, StreamSourceFrameChannel frame) {
    session.close(CloseCode.UNSUPPORTED_DATA);
    Discarder.discard(channel, frame);
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
    saidGoodbye = true; // what comes after a close counts no more (RFC 6455, 5.5.1)
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

  /** Gathers one text message that comes in parts. */
  private final class TextReader implements ChannelListener<StreamSourceFrameChannel> {
    private final WebSocketChannel channel;
    private final FrameBytes gathered = new FrameBytes(frameBytes);
    private int held;
    private boolean waiting;
    private boolean done;

    TextReader(WebSocketChannel channel) {
      this.channel = channel;
    }

    void begin(StreamSourceFrameChannel frame, ByteBuffer first) {
      gather(frame, first);
      if (!done) {
        handleEvent(frame);
      }
    }

    @Override
    public void handleEvent(StreamSourceFrameChannel frame) {
      if (done) {
        // The connection ended with unread bytes; Undertow asks until somebody takes them.
        Discarder.discard(channel, frame);
      }
      try {
        while (!done) {
          ByteBuffer chunk = Scratch.cleared();
          int read = frame.read(chunk);
          if (read == 0) {
            await(frame);
            return;
          }
          if (read < 0) {
            finish(frame);
          } else {
            session.onLife();
            gather(frame, chunk.flip());
          }
        }
      } catch (IOException e) {
        done();
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
      int more = chunk.remaining();
      if (!gathered.add(chunk)) {
        refuse(frame, CloseCode.TOO_LARGE);
      } else if (transport.hold(more)) {
        held += more;
      } else {
        refuse(frame, CloseCode.TRY_AGAIN_LATER);
      }
    }

    private void refuse(StreamSourceFrameChannel frame, CloseCode code) {
      done();
      session.close(code);
      Discarder.discard(channel, frame);
    }

    private void finish(StreamSourceFrameChannel frame) {
      if (waiting) {
        frame.suspendReads();
      }
      done();
      text(gathered.toBytes());
    }

    /** Nothing is gathered any more. */
    private void done() {
      done = true;
      gathering = null;
      transport.letGo(held);
      held = 0;
    }
  }
}
