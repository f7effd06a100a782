package dev.holdfast.edge.socket;

import io.undertow.websockets.core.StreamSourceFrameChannel;
import io.undertow.websockets.core.WebSocketChannel;
import java.io.IOException;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;

/**
 * Reads a frame to its end and throws it away. One that cannot be read, since what is left of it is
 * no UTF-8, ends the connection: XNIO's own listener for this would leave its reads resumed, and
 * Undertow then calls it again and again, for ever, on a thread that other connections share.
 */
final class Discarder implements ChannelListener<StreamSourceFrameChannel> {

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
        read = frame.read(Scratch.cleared());
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
