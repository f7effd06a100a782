package dev.holdfast.client;

import dev.holdfast.client.port.Ended;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What comes before a connection: where to, with which token, and whose things to load. Used on the
 * loop only; the application's functions run where its handlers do.
 */
final class Approach {
  private final Core core;
  private final Link link;

  Approach(Core core, Link link) {
    this.core = core;
    this.link = link;
  }

  void begin(int generation) {
    Options options = core.options();
    CompletableFuture<String> where =
        options.urlFunction() != null
            ? ask(options.urlFunction())
            : CompletableFuture.completedFuture(
                options.urls().get((core.firstUrl() + generation - 1) % options.urls().size()));
    step(where, "url_failed", this::located);
  }

  private void located(String address) {
    try {
      URI url = URI.create(address);
      step(askToken(), "token_failed", token -> authorised(url, token));
    } catch (IllegalArgumentException e) {
      failed("url_failed", e);
    }
  }

  private void authorised(URI url, @Nullable String token) {
    step(core.loader().load(token), "storage_failed", loaded -> link.connect(url, token));
  }

  /** A fixed token, or what the application's function gives now; null without either. */
  CompletableFuture<@Nullable String> askToken() {
    Supplier<CompletionStage<String>> function = core.options().tokenFunction();
    return function != null
        ? ask(function).thenApply(given -> given)
        : CompletableFuture.completedFuture(core.loader().token());
  }

  private <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> function) {
    try {
      return CompletableFuture.supplyAsync(function, core.env().app()).thenCompose(s -> s);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private interface Next<T extends @Nullable Object> {
    void take(T value);
  }

  private <T extends @Nullable Object> void step(
      CompletableFuture<T> before, String what, Next<T> next) {
    CompletableFuture<?> unused =
        before.whenCompleteAsync(
            (value, error) -> {
              if (link.isOver()) {
                return;
              }
              if (error == null) {
                next.take(value);
              } else {
                failed(what, error);
              }
            },
            core.env().loop());
  }

  private void failed(String what, Throwable error) {
    Throwable cause = error.getCause() == null ? error : error.getCause();
    if (cause instanceof Loader.OtherUserException) {
      core.machine().refuse(link, "other_user");
    } else {
      core.telemetry("attempt_failed").reason(what).tell();
      link.end(Ended.broken(what));
    }
  }
}
