package dev.holdfast.edge.socket;

import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.xnio.XnioIoThread;

/**
 * The connections of one I/O thread that have something to write. An event of a channel wakes
 * thousands of them: they are strung together, and only the first wakes the thread. Waking it for
 * each would take its lock and a system call every time. Any thread adds; the I/O thread writes.
 */
final class Writers implements Runnable {
  private static final int ROOM_BYTES = 72 * 1024;

  /** Outside the heap: what lies within it is copied there by every write. */
  private static final ThreadLocal<ByteBuffer> ROOM =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(ROOM_BYTES));

  private final XnioIoThread thread;
  private final Endings endings;
  private final AtomicReference<@Nullable SocketTransport> newest = new AtomicReference<>();
  private OutboundQueue.@Nullable Batch spare;

  Writers(XnioIoThread thread) {
    this.thread = thread;
    this.endings = new Endings(thread);
  }

  /** This I/O thread's room for bytes on their way to a socket. */
  static ByteBuffer room() {
    return ROOM.get();
  }

  /** Who of the same thread is to be closed. */
  Endings endings() {
    return endings;
  }

  /** Lets one write soon. It must not be waiting for that already. */
  void wake(SocketTransport one) {
    SocketTransport before;
    do {
      before = newest.get();
      one.waitsBehind(before);
    } while (!newest.compareAndSet(before, one));
    if (before == null) {
      try {
        thread.execute(this);
      } catch (RejectedExecutionException e) {
        giveUp(); // the node goes, and every socket with it
      }
    }
  }

  /**
   * Lets those write that wait, before something takes its time: where thousands say hello in one
   * pass of the I/O thread, what is due to others would wait for all of them. On the I/O thread,
   * without any lock.
   */
  void writeFirst() {
    if (newest.get() != null) {
      run();
    }
  }

  private void giveUp() {
    SocketTransport one = newest.getAndSet(null);
    while (one != null) {
      SocketTransport next = one.stepOut();
      one.gone();
      one = next;
    }
  }

  /** Lets all write that wait, in the order in which they came. */
  @Override
  public void run() {
    SocketTransport one = newest.getAndSet(null);
    SocketTransport oldest = null;
    while (one != null) {
      SocketTransport next = one.stepOut();
      one.waitsBehind(oldest);
      oldest = one;
      one = next;
    }
    while (oldest != null) {
      SocketTransport next = oldest.stepOut();
      oldest.run();
      oldest = next;
    }
  }

  /** One batch for all writers: each is done with it before the next begins, or keeps it. */
  OutboundQueue.Batch batch() {
    OutboundQueue.Batch batch = spare;
    // Were a writer to run inside another, it would not get the other's batch.
    spare = null;
    return batch == null ? new OutboundQueue.Batch() : batch;
  }

  /** Gives a batch back. */
  void giveBack(OutboundQueue.Batch batch) {
    batch.clear();
    spare = batch;
  }
}
