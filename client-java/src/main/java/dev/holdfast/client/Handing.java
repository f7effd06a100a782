package dev.holdfast.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands one item at a time to a handler of the application, and the same one again while that
 * fails: after 0.1 s, doubled up to 30 s. Used on the loop only; the handler runs on the
 * application's executor.
 */
final class Handing<T> {
  private static final long FIRST_MS = 100;
  private static final long MOST_MS = 30_000;

  private final Core core;
  private final String what;
  private final Supplier<@Nullable Function<T, CompletionStage<?>>> handler;
  private final Alarm again;
  private @Nullable T item;
  private @Nullable Consumer<T> then;
  private boolean running;
  private @Nullable Runnable dropped;
  private long delayMs = FIRST_MS;
  private long round;

  Handing(Core core, String what, Supplier<@Nullable Function<T, CompletionStage<?>>> handler) {
    this.core = core;
    this.what = what;
    this.handler = handler;
    this.again = new Alarm(core.env());
  }

  /** Whether an item is in the handler, or waits to be given to it again. */
  boolean busy() {
    return item != null;
  }

  boolean hasHandler() {
    return handler.get() != null;
  }

  /** Hands it over; {@code then} runs once the handler is through. Only when not busy. */
  void hand(T next, Consumer<T> whenThrough) {
    item = next;
    then = whenThrough;
    delayMs = FIRST_MS;
    call();
  }

  private void call() {
    T given = item;
    Function<T, CompletionStage<?>> now = handler.get();
    if (given == null || now == null || running) {
      return;
    }
    running = true;
    long mine = round;
    try {
      core.env()
          .app()
          .execute(
              () ->
                  stage(now, given)
                      .whenCompleteAsync((done, error) -> through(mine, error), core.env().loop()));
    } catch (RejectedExecutionException e) {
      through(mine, e);
    }
  }

  private static <T> CompletionStage<?> stage(Function<T, CompletionStage<?>> handler, T item) {
    try {
      CompletionStage<?> stage = handler.apply(item);
      return stage == null
          ? CompletableFuture.failedFuture(new NullPointerException("the handler gave no stage"))
          : stage;
    } catch (Throwable e) { // an Error of the application's too is a failure to be tried again
      return CompletableFuture.failedFuture(e);
    }
  }

  private void through(long mine, @Nullable Throwable error) {
    if (mine != round) {
      return; // of an account that was logged out
    }
    running = false;
    Runnable unwanted = dropped;
    dropped = null;
    if (error != null) {
      core.telemetry("handler_failed").delay(delayMs).reason(what).error(error).tell();
      if (unwanted != null) {
        item = null;
        then = null;
        unwanted.run();
        return;
      }
      if (core.machine().wanted()) {
        again.set(delayMs, this::call);
      }
      delayMs = Math.min(MOST_MS, delayMs * 2);
      return;
    }
    T done = item;
    Consumer<T> next = then;
    item = null;
    then = null;
    if (done != null && next != null) {
      next.accept(done);
    }
  }

  /**
   * The item is not given to the handler again. One that runs may come to its end, and where that
   * is a good one the item is through as ever; otherwise {@code instead} runs.
   */
  void drop(Runnable instead) {
    again.cancel();
    if (running) {
      dropped = instead;
    } else if (item != null) {
      item = null;
      then = null;
      instead.run();
    }
  }

  /** No timer runs on; an item that failed waits for {@link #resume}. */
  void pause() {
    again.cancel();
  }

  void resume() {
    if (item != null && !running && !again.isSet()) {
      call();
    }
  }

  /** Forgets the item; a handler that still runs ends unheard. */
  void forget() {
    pause();
    round++;
    item = null;
    then = null;
    dropped = null;
    running = false;
  }
}
