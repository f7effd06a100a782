package dev.holdfast.edge.ingress;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queue between sessions and the publisher thread, bounded in records and bytes. An offer never
 * waits. Thread-safe.
 */
final class IngressQueue {
  private final int maxRecords;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition notEmpty = lock.newCondition();
  private final Queue<Job> jobs = new ArrayDeque<>();
  private int records;
  private long bytes;
  private boolean closed;

  IngressQueue(int maxRecords, long maxBytes) {
    this.maxRecords = maxRecords;
    this.maxBytes = maxBytes;
  }

  /**
   * Adds a job if there is room for all of it; a job larger than the queue fits when it is empty.
   */
  boolean offer(Job job) {
    return add(job, false);
  }

  /** Adds a job that is bounded elsewhere; false only when the queue is closed. */
  boolean force(Job job) {
    return add(job, true);
  }

  /** The next job; waits for one, at most {@code timeoutMs}. */
  @Nullable Job poll(long timeoutMs) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
      while (jobs.isEmpty() && !closed && nanos > 0) {
        nanos = notEmpty.awaitNanos(nanos);
      }
      Job job = jobs.poll();
      if (job != null) {
        records -= job.records();
        bytes -= job.bytes();
      }
      return job;
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more; what is queued can still be polled. */
  void close() {
    lock.lock();
    try {
      closed = true;
      notEmpty.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it was closed and is empty. */
  boolean drained() {
    lock.lock();
    try {
      return closed && jobs.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  IngressDepth depth() {
    lock.lock();
    try {
      return new IngressDepth(records, bytes);
    } finally {
      lock.unlock();
    }
  }

  private boolean add(Job job, boolean always) {
    lock.lock();
    try {
      if (closed || !(always || jobs.isEmpty() || fits(job))) {
        return false;
      }
      jobs.add(job);
      records += job.records();
      bytes += job.bytes();
      notEmpty.signal();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean fits(Job job) {
    return records + job.records() <= maxRecords && bytes + job.bytes() <= maxBytes;
  }
}
