package dev.holdfast.edge.socket;

import dev.holdfast.frame.ServerFrames;
import io.undertow.connector.PooledByteBuffer;
import io.undertow.util.ImmediatePooledByteBuffer;
import java.nio.ByteBuffer;

/**
 * The body of one connection's literal pongs, used again once Undertow has written and closed it.
 * While it is on its way, a further pong gets a body of its own. For one I/O thread.
 */
final class PongBody implements PooledByteBuffer {
  private final ByteBuffer body = ByteBuffer.wrap(ServerFrames.PONG);
  private boolean lent;

  /** A body to hand over. */
  PooledByteBuffer take() {
    if (lent) {
      return new ImmediatePooledByteBuffer(ByteBuffer.wrap(ServerFrames.PONG));
    }
    lent = true;
    body.clear();
    return this;
  }

  @Override
  public ByteBuffer getBuffer() {
    if (!lent) {
      throw new IllegalStateException("this pong was written");
    }
    return body;
  }

  @Override
  public void close() {
    lent = false;
  }

  @Override
  public boolean isOpen() {
    return lent;
  }
}
