package dev.holdfast.edge.socket;

import io.undertow.websockets.core.StreamSourceFrameChannel;
import io.undertow.websockets.core.WebSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;

/**
 * Reads a frame to its end and throws it away. One that cannot be read, since what is left of it is
 * no UTF-8, ends the connection: XNIO's own listener for this would leave its reads resumed, and
 * Undertow then calls it again and again, for ever, on a thread that other connections share.
 */
final class Discarder implements ChannelListener<StreamSourceFrameChannel> {
  private static final int CHUNK = 16 * 1024;
  private static final ThreadLocal<ByteBuffer> SCRATCH =
      ThreadLocal.withInitial(() -> ByteBuffer.allocate(CHUNK));

  private final WebSocketChannel channel;

  private Discarder(WebSocketChannel channel) {
    this.channel = channel;
  }

  /** Throws away what is left of {@code frame}. */
  static void discard(WebSocketChannel channel, StreamSourceFrameChannel frame) {
    frame.getReadSetter().set(new Discarder(channel));
    frame.wakeupReads();
  }

  @Override
  public void handleEvent(StreamSourceFrameChannel frame) {
    try {
      int read = 1;
      while (read > 0) {
        read = frame.read(SCRATCH.get().clear());
      }
      if (read < 0) {
        frame.suspendReads();
      }
    } catch (IOException e) {
      frame.suspendReads();
      IoUtils.safeClose(channel);
    }
  }
}
