package dev.holdfast.edge.drain;

import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.frame.CloseCode;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Closes every connection with 4001, in a random order and spread evenly over a time. Clients come
 * back after about a second each, so the other edges get as even a stream of them. Runs on
 * the thread that ends the edge; new connections are refused by then, except for a handshake that
 * was under way, whose connection is closed at the end.
 */
public final class Drain {
  /** Milliseconds that closed sockets get to finish their close handshake. */
  static final long GOODBYE_MS = 1_500;

  private static final long STEP_MS = 20;
  private static final Logger LOG = LoggerFactory.getLogger(Drain.class);

  private final Sessions sessions;
  private final LongSupplier ticker;
  private final Pause pause;
  private final RandomGenerator random;

  /** Lets time pass. */
  @FunctionalInterface
  public interface Pause {
    void sleep(long ms) throws InterruptedException;
  }

  /**
   * @param ticker monotonic milliseconds
   */
  public Drain(Sessions sessions, LongSupplier ticker, Pause pause, RandomGenerator random) {
    this.sessions = sessions;
    this.ticker = ticker;
    this.pause = pause;
    this.random = random;
  }

  /**
   * Returns when no connection is left, or their sockets had their time. An interrupt ends the
   * waiting, not the closing.
   */
  public void run(long overMs) {
    long startMs = ticker.getAsLong();
    List<Session> open = sessions.all();
    Level level = open.isEmpty() ? Level.DEBUG : Level.INFO;
    LOG.atLevel(level).log("closing {} connections with 4001 over {} ms", open.size(), overMs);
    try {
      closeSpread(open, startMs, overMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    sessions.closeAll(CloseCode.SERVER_RESTART);
    try {
      awaitSockets(ticker.getAsLong() + GOODBYE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    long tookMs = ticker.getAsLong() - startMs;
    LOG.atLevel(level).log("closed {} connections in {} ms", open.size(), tookMs);
  }

  private void closeSpread(List<Session> open, long startMs, long overMs)
      throws InterruptedException {
    Spread.shuffle(open, random);
    long[] moments = Spread.moments(open.size(), overMs, random);
    int next = 0;
    while (next < open.size() && sessions.size() > 0) {
      long nowMs = ticker.getAsLong() - startMs;
      while (next < open.size() && moments[next] <= nowMs) {
        open.get(next++).close(CloseCode.SERVER_RESTART);
      }
      if (next < open.size()) {
        pause.sleep(Math.min(STEP_MS, moments[next] - nowMs));
      }
    }
  }

  private void awaitSockets(long untilMs) throws InterruptedException {
    while (sessions.size() > 0 && ticker.getAsLong() < untilMs) {
      pause.sleep(STEP_MS);
    }
  }
}
