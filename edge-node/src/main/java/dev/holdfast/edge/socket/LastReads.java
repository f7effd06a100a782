package dev.holdfast.edge.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.BooleanSupplier;
import org.xnio.StreamConnection;
import org.xnio.channels.StreamSinkChannel;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/**
 * What a socket still has to say when our side has ended its own: usually nothing but its end, and
 * reading that closes the socket there and then. {@link Endings} says why thousands must not do so
 * in one go, as when the node refuses all who come at once; so each of these reads waits for its
 * turn there. For the connection's I/O thread.
 */
final class LastReads extends AbstractStreamSourceConduit<StreamSourceConduit>
    implements Endings.One {
  private final Endings endings;
  private final BooleanSupplier said;
  private final BooleanSupplier open;
  private boolean waits;
  private boolean turn;
  private boolean asked;

  /**
   * @param said whether our side has said its last word
   * @param open whether the socket is not closed yet
   */
  LastReads(StreamSourceConduit next, Endings endings, BooleanSupplier said, BooleanSupplier open) {
    super(next);
    this.endings = endings;
    this.said = said;
    this.open = open;
  }

  /** Puts one before a new socket. */
  static void of(StreamConnection connection, Endings endings) {
    var source = connection.getSourceChannel();
    source.setConduit(
        new LastReads(
            source.getConduit(), endings, connection::isWriteShutdown, connection::isOpen));
  }

  private boolean mayNot() {
    if (!waits && !turn && said.getAsBoolean()) {
      waits = true;
      next.suspendReads();
      endings.add(this);
    }
    return waits;
  }

  /** Whoever finds nothing waits for his turn again. */
  private long read(long count) {
    turn &= count != 0;
    return count;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return mayNot() ? 0 : (int) read(next.read(dst));
  }

  @Override
  public long read(ByteBuffer[] dsts, int offs, int len) throws IOException {
    return mayNot() ? 0 : read(next.read(dsts, offs, len));
  }

  @Override
  public long transferTo(long position, long count, FileChannel target) throws IOException {
    return mayNot() ? 0 : read(next.transferTo(position, count, target));
  }

  @Override
  public long transferTo(long count, ByteBuffer throughBuffer, StreamSinkChannel target)
      throws IOException {
    return mayNot() ? 0 : read(next.transferTo(count, throughBuffer, target));
  }

  @Override
  public void over() {
    // No session belongs to it, or it ended with the close handshake.
  }

  /** It is its turn. */
  @Override
  public void end() {
    waits = false;
    turn = true;
    if (asked && open.getAsBoolean()) {
      next.wakeupReads();
    }
  }

  @Override
  public void resumeReads() {
    asked = true;
    if (!waits) {
      next.resumeReads();
    }
  }

  @Override
  public void wakeupReads() {
    asked = true;
    if (!waits) {
      next.wakeupReads();
    }
  }

  @Override
  public void suspendReads() {
    asked = false;
    next.suspendReads();
  }

  @Override
  public boolean isReadResumed() {
    return waits ? asked : next.isReadResumed();
  }
}
