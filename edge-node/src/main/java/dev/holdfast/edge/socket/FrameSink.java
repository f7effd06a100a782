package dev.holdfast.edge.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSourceChannel;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/**
 * The last gate before one connection's socket, or its TLS. Our frames go through it as bytes and
 * past Undertow's framing, which costs more than the socket itself; Undertow's own (close frames)
 * come through it as writes like any other. A batch that the socket took in part stays here, and
 * nothing else passes before the rest of it. For the connection's I/O thread.
 */
final class FrameSink extends AbstractStreamSinkConduit<StreamSinkConduit> {
  /** Whose batches they are. */
  interface Owner {
    /** The socket has what it did not take at once. */
    void taken();

    /** The socket will never take the rest; the owner {@link #stop}s this. */
    void broken();
  }

  private OutboundQueue.@Nullable Batch rest;
  private long done;
  private @Nullable Owner waiting;
  private boolean stopped;

  /** In front of what was the last so far. */
  FrameSink(StreamSinkConduit next) {
    super(next);
  }

  /**
   * Writes a batch but for its close.
   *
   * @param through room for bytes on their way
   * @param whose its {@link Owner#taken} is called later when the socket did not take all of it at
   *     once; until then the batch belongs to this sink
   * @return whether the socket took it
   */
  boolean write(OutboundQueue.Batch batch, ByteBuffer through, Owner whose) throws IOException {
    long all = Wire.bytes(batch);
    long taken = move(batch, 0, all, through);
    if (taken < all) {
      rest = batch;
      done = taken;
    } else if (next.flush()) {
      return true;
    }
    waiting = whose;
    next.resumeWrites();
    return false;
  }

  /** Writes what the socket takes; returns how many of the batch's bytes it has by now. */
  private long move(OutboundQueue.Batch batch, long from, long all, ByteBuffer through)
      throws IOException {
    long at = from;
    while (at < all) {
      Wire.put(batch, at, through.clear());
      through.flip();
      int taken;
      do {
        taken = next.write(through);
        at += taken;
      } while (taken > 0 && through.hasRemaining());
      if (through.hasRemaining()) {
        break;
      }
    }
    return at;
  }

  /** Nothing more is written, nor is the socket asked about: it is to be closed. */
  void stop() {
    stopped = true;
    waiting = null;
    next.suspendWrites();
  }

  @Override
  public void resumeWrites() {
    if (!stopped) {
      next.resumeWrites();
    }
  }

  @Override
  public void wakeupWrites() {
    if (!stopped) {
      next.wakeupWrites();
    }
  }

  /** Whether nothing of ours is left; writes what the socket takes. */
  private boolean clear() throws IOException {
    if (stopped) {
      return false;
    }
    OutboundQueue.Batch batch = rest;
    if (batch == null) {
      return true;
    }
    long all = Wire.bytes(batch);
    done = move(batch, done, all, Writers.room());
    if (done < all) {
      return false;
    }
    rest = null;
    return true;
  }

  /** Undertow calls it when the socket can take more, and after what it wrote itself. */
  @Override
  public boolean flush() throws IOException {
    Owner whose = waiting;
    try {
      if (!stopped && (!clear() || !next.flush())) {
        return false;
      }
    } catch (IOException e) {
      if (whose == null) {
        throw e;
      }
      whose.broken();
    }
    if (stopped) {
      return true;
    }
    if (whose != null) {
      waiting = null;
      whose.taken();
    }
    return true;
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return clear() ? next.write(src) : 0;
  }

  @Override
  public long write(ByteBuffer[] srcs, int offs, int len) throws IOException {
    return clear() ? next.write(srcs, offs, len) : 0;
  }

  @Override
  public int writeFinal(ByteBuffer src) throws IOException {
    return clear() ? next.writeFinal(src) : 0;
  }

  @Override
  public long writeFinal(ByteBuffer[] srcs, int offset, int length) throws IOException {
    return clear() ? next.writeFinal(srcs, offset, length) : 0;
  }

  @Override
  public long transferFrom(FileChannel src, long position, long count) throws IOException {
    return clear() ? next.transferFrom(src, position, count) : 0;
  }

  @Override
  public long transferFrom(StreamSourceChannel source, long count, ByteBuffer throughBuffer)
      throws IOException {
    return clear() ? next.transferFrom(source, count, throughBuffer) : 0;
  }
}
