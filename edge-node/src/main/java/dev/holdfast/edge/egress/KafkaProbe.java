package dev.holdfast.edge.egress;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;

/** Asks Kafka now and then whether it is there, for {@code /readyz}. Never waits. */
public final class KafkaProbe implements AutoCloseable {
  /** An answer older than this many milliseconds counts as none. */
  private static final long FRESH_MS = 10_000;

  private final Admin admin;
  private final LongSupplier ticker;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile long answeredAtMs;

  /**
   * @param ticker monotonic milliseconds
   */
  public KafkaProbe(
      String bootstrap, String edgeId, Map<String, String> overrides, LongSupplier ticker) {
    this.admin =
        Admin.create(EgressSettings.client(bootstrap, "holdfast-probe-" + edgeId, overrides));
    this.ticker = ticker;
    this.answeredAtMs = ticker.getAsLong();
  }

  /** Asks, unless a question is still open. */
  public void ask() {
    if (asking.compareAndSet(false, true)) {
      var unused =
          admin
              .describeCluster()
              .clusterId()
              .whenComplete(
                  (id, failure) -> {
                    if (failure == null) {
                      answeredAtMs = ticker.getAsLong();
                    }
                    asking.set(false);
                  });
    }
  }

  /** Whether Kafka answered within the last 10 s. */
  public boolean answered() {
    return ticker.getAsLong() - answeredAtMs < FRESH_MS;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
