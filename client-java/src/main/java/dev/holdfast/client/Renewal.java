package dev.holdfast.client;

import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.Frames;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Brings a new token before the old one ends. Used on the loop only. */
final class Renewal {
  /** After so long a token is asked for again, where the server does not say when. */
  static final long AGAIN_MS = 5_000;

  private final Core core;
  private final Link link;
  private final Alarm later;
  private final Alarm limit;
  private boolean asking;

  Renewal(Core core, Link link) {
    this.core = core;
    this.link = link;
    this.later = new Alarm(core.env());
    this.limit = new Alarm(core.env());
  }

  /** The token is about to end. */
  void now() {
    if (isPossible()) {
      ask();
    }
  }

  /**
   * The new token could not be checked: the old one still holds, and will end. Asks once more after
   * {@code waitMs} and a little more by chance, since many clients are told the same.
   */
  void in(long waitMs) {
    if (isPossible()) {
      later.set(Backoff.askedMs(waitMs, core.env().random()), this::ask);
    }
  }

  private boolean isPossible() {
    return core.options().tokenFunction() != null && !asking && !link.isOver();
  }

  private void ask() {
    asking = true;
    CompletableFuture<@Nullable String> answer = link.askToken();
    limit.set(
        core.options().connectTimeoutMs(),
        () -> answer.completeExceptionally(new TimeoutException("no token in time")));
    CompletableFuture<?> unused = answer.whenCompleteAsync(this::answered, core.env().loop());
  }

  private void answered(@Nullable String token, @Nullable Throwable error) {
    asking = false;
    limit.cancel();
    if (link.isOver()) {
      return;
    }
    if (token == null || error != null) {
      core.telemetry("refused").reason("token_failed").tell();
      later.set(AGAIN_MS, this::ask);
    } else {
      link.token(token);
      link.send(Frames.auth(token));
    }
  }

  void stop() {
    later.cancel();
    limit.cancel();
  }
}
