package dev.holdfast.client;

import dev.holdfast.client.rules.Frames;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Brings a new token before the old one ends. Used on the loop only. */
final class Renewal {
  private static final long AGAIN_MS = 5_000;

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

  /** Asks the application's function, where it has one, after {@code waitMs}. */
  void needed(long waitMs) {
    if (core.options().tokenFunction() == null || asking || link.isOver()) {
      return;
    }
    if (waitMs > 0) {
      later.set(waitMs, this::ask);
    } else {
      ask();
    }
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
