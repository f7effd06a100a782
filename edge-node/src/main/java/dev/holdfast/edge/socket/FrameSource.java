package dev.holdfast.edge.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;
import org.xnio.channels.StreamSinkChannel;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/**
 * The first gate behind one connection's socket, or its TLS, which hears of its end before Undertow
 * does: Undertow would close the socket there and then, and {@link Endings} says why that must
 * wait. From then on nothing comes through, and nobody can have the socket asked for more: one that
 * has ended, or has unread bytes, would otherwise be ready again and again. For the connection's
 * I/O thread.
 */
final class FrameSource extends AbstractStreamSourceConduit<StreamSourceConduit> {
  /** Whose socket it is. */
  interface Owner {
    /**
     * The peer ended the stream, or it broke.
     *
     * @return whether the owner sees to the rest; otherwise Undertow is told
     */
    boolean peerEnded();
  }

  private @Nullable Owner owner;
  private boolean stopped;

  /** Behind what was the first so far. */
  FrameSource(StreamSourceConduit next) {
    super(next);
  }

  /** Who is told of the end. */
  void tell(Owner whose) {
    owner = whose;
  }

  /** Nothing more is read. */
  void stop() {
    stopped = true;
    next.suspendReads();
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    if (stopped) {
      return 0;
    }
    int read;
    try {
      read = next.read(dst);
    } catch (IOException e) {
      if (taken()) {
        return 0;
      }
      throw e;
    }
    // Undertow may still have whole frames from before the end; it asks again when it has none.
    return read < 0 && dst.position() == 0 && taken() ? 0 : read;
  }

  @Override
  public long read(ByteBuffer[] dsts, int offs, int len) throws IOException {
    for (int i = offs; i < offs + len; i++) {
      if (dsts[i].hasRemaining()) {
        return read(dsts[i]);
      }
    }
    return 0;
  }

  private boolean taken() {
    Owner whose = owner;
    return whose != null && whose.peerEnded();
  }

  @Override
  public void resumeReads() {
    if (!stopped) {
      next.resumeReads();
    }
  }

  @Override
  public void wakeupReads() {
    if (!stopped) {
      next.wakeupReads();
    }
  }

  @Override
  public long transferTo(long position, long count, FileChannel target) throws IOException {
    return stopped ? 0 : next.transferTo(position, count, target);
  }

  @Override
  public long transferTo(long count, ByteBuffer throughBuffer, StreamSinkChannel target)
      throws IOException {
    return stopped ? 0 : next.transferTo(count, throughBuffer, target);
  }
}
