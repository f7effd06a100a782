package dev.holdfast.standalone.broker;

import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.utils.internals.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Kafka ends the process when it meets a fault, from any of its threads and through one static
 * hook. Here the hook fails the broker instead, so that its owner says the reason and ends in
 * order.
 */
final class KafkaExit {
  private KafkaExit() {}

  /** Sends every later exit or halt of Kafka's to {@code fatal}. */
  static void divertTo(CompletableFuture<String> fatal) {
    Exit.setExitProcedure((status, message) -> stop(fatal, status, message));
    Exit.setHaltProcedure((status, message) -> stop(fatal, status, message));
  }

  private static void stop(CompletableFuture<String> fatal, int status, @Nullable String message) {
    String reason =
        "Kafka's broker stopped itself"
            + (message == null ? " with status " + status : ": " + message)
            + "; its log (--verbose) says why";
    fatal.complete(reason);
    throw new BrokerFailed(reason);
  }
}
