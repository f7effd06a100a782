package dev.holdfast.edge.socket;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.xnio.XnioExecutor;

/**
 * The connections of one I/O thread that have ended, and whose sockets are still to be closed, a
 * few at a time. XNIO asks the kernel for all sockets that are ready whenever it closes one, so ten
 * thousand that end together cost a hundred million looks and many seconds, in which nobody else on
 * the thread is written to. Here each stops being asked about as soon as it has ended ({@link
 * FrameSource#stop}). What is left is done in passes, with everything else that the thread has to
 * do between two of them: first the sessions end, so that nothing more is sent to them and their
 * disconnect events leave; then the sockets are closed.
 *
 * <p>For the I/O thread. Holds no more than the thread has connections.
 */
final class Endings implements Runnable {
  /** Most sockets that are closed in one pass: a millisecond or two. */
  static final int MOST_CLOSED = 32;

  /** Most sessions that are ended in one pass; they cost less. */
  static final int MOST_TOLD = 128;

  /** Milliseconds between two passes; in them the thread looks after sockets that are ready. */
  static final long PAUSE_MS = 1;

  /** A connection that has ended. */
  interface One {
    /** Ends its session. */
    void over();

    /** Closes its socket. */
    void end();
  }

  private final XnioExecutor thread;
  private final Queue<One> toTell = new ArrayDeque<>();
  private final Queue<One> toClose = new ArrayDeque<>();
  private boolean due;

  /** Of one I/O thread. */
  Endings(XnioExecutor thread) {
    this.thread = thread;
  }

  /** Ends one soon; each may be added once. */
  void add(One one) {
    toTell.add(one);
    if (!due) {
      due = true;
      try {
        thread.execute(this);
      } catch (RejectedExecutionException e) {
        endAll();
      }
    }
  }

  /** One pass. */
  @Override
  public void run() {
    pass(MOST_TOLD, MOST_CLOSED);
    due = !toTell.isEmpty() || !toClose.isEmpty();
    if (due) {
      try {
        var unused = thread.executeAfter(this, PAUSE_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        endAll();
      }
    }
  }

  /** Nobody is closed while sessions are still to be ended. */
  private void pass(int mostTold, int mostClosed) {
    for (int n = 0; n < mostTold && !toTell.isEmpty(); n++) {
      One one = toTell.remove();
      one.over();
      toClose.add(one);
    }
    for (int n = 0; n < mostClosed && toTell.isEmpty() && !toClose.isEmpty(); n++) {
      toClose.remove().end();
    }
  }

  /** The node goes, and every socket with it. */
  private void endAll() {
    due = false;
    pass(Integer.MAX_VALUE, Integer.MAX_VALUE);
  }
}
