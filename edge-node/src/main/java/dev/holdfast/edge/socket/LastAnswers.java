package dev.holdfast.edge.socket;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.StatusCodes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets HTTP end in order. While the node drains, answers say {@code Connection: close}, so that
 * clients with a kept connection take another node; and what is still to be answered can be waited
 * for. A WebSocket counts only until it is upgraded.
 */
final class LastAnswers implements HttpHandler {
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final HttpHandler next;
  private final BooleanSupplier draining;
  private final AtomicInteger open = new AtomicInteger();

  LastAnswers(HttpHandler next, BooleanSupplier draining) {
    this.next = next;
    this.draining = draining;
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) throws Exception {
    open.incrementAndGet();
    exchange.addExchangeCompleteListener(
        (ended, following) -> {
          open.decrementAndGet();
          following.proceed();
        });
    // Not before: the drain may begin while the request waits for Kafka.
    exchange.addResponseCommitListener(
        answered -> {
          if (draining.getAsBoolean()
              && answered.getStatusCode() != StatusCodes.SWITCHING_PROTOCOLS) {
            answered.setPersistent(false);
          }
        });
    next.handleRequest(exchange);
  }

  /** Requests without their answer. */
  int open() {
    return open.get();
  }

  /** Waits until all are answered, or the time is up. */
  void await(long timeoutMs) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (open.get() > 0 && System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(STEP_NANOS);
    }
  }
}
