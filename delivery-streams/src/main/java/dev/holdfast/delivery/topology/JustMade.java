package dev.holdfast.delivery.topology;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Asks about topics that were made a moment ago: the broker that is asked may not have heard of
 * them yet, and says that they do not exist.
 */
final class JustMade {
  private static final long PAUSE_MS = 50;

  private JustMade() {}

  /** Something that waits for Kafka. */
  interface Question<T> {
    T ask() throws ExecutionException, InterruptedException;
  }

  /**
   * The answer, as soon as it is another one than that there is no such topic.
   *
   * @param patience how long that is not believed
   * @throws ExecutionException when it is still the answer then, and for any other failure at once
   */
  static <T> T ask(Question<T> question, Duration patience)
      throws ExecutionException, InterruptedException {
    long until = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return question.ask();
      } catch (ExecutionException e) {
        boolean early =
            e.getCause() instanceof UnknownTopicOrPartitionException
                || e.getCause() instanceof LeaderNotAvailableException;
        if (!early || System.nanoTime() > until) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      }
    }
  }
}
