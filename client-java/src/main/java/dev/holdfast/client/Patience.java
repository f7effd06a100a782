package dev.holdfast.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Waits for a call of the store, 5 s at most: a store is the application's, and one that does not
 * answer must hold up neither a connection nor a close. While such a call has not come to its end
 * nothing else is asked of the store, since it may still be at work; it counts as failing. Used on
 * the loop only; one call at a time.
 */
final class Patience {
  private static final long LIMIT_MS = 5_000;

  /** A timer that is later than this tells of this machine, not of the store. */
  private static final long GRACE_MS = 1_000;

  private final Env env;
  private final Alarm limit;
  private boolean hung;

  Patience(Env env) {
    this.env = env;
    this.limit = new Alarm(env);
  }

  /** Fails when the call does, throws, or takes too long; completed on the loop. */
  <T> CompletionStage<T> await(Supplier<CompletionStage<T>> call) {
    if (hung) {
      return CompletableFuture.failedFuture(
          new TimeoutException("the store still has not answered an earlier call"));
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    arm(answer);
    CompletionStage<?> unused =
        asked(call)
            .whenCompleteAsync(
                (value, error) -> {
                  hung = false;
                  if (answer.isDone()) {
                    return; // too late: it counted as failed
                  }
                  limit.cancel();
                  if (error == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(error);
                  }
                },
                env.loop());
    return answer;
  }

  private void arm(CompletableFuture<?> answer) {
    limit.set(
        LIMIT_MS,
        () -> {
          if (limit.lateMs() > GRACE_MS) {
            arm(answer); // the process slept, and the store too
            return;
          }
          hung = true;
          answer.completeExceptionally(
              new TimeoutException("the store did not answer within " + LIMIT_MS + " ms"));
        });
  }

  private static <T> CompletionStage<T> asked(Supplier<CompletionStage<T>> call) {
    return CompletableFuture.completedFuture("").thenCompose(start -> call.get());
  }
}
