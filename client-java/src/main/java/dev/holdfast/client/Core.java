package dev.holdfast.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the parts of one client together. All but the getters is used on the loop only. */
final class Core {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastClient.class);

  private final Options options;
  private final Env env;
  private final Handlers handlers;
  private final Executor tell;
  private final Counters counters = new Counters();
  private final Keeper keeper;
  private final Session session = new Session();
  private final Loader loader;
  private final Machine machine;
  private final Inbox inbox;
  private final Backlog backlog;
  private final Sender sender;
  private final Channels channels;
  private final Watches watches;
  private final Http http;
  private final int firstUrl;

  /** {@code tell} runs the application's listeners, one after the other. */
  Core(Options options, Env env, Handlers handlers, Executor tell) {
    this.options = options;
    this.env = env;
    this.handlers = handlers;
    this.tell = tell;
    this.keeper = new Keeper(this);
    this.loader = new Loader(this);
    this.machine = new Machine(this);
    this.http = new Http(this);
    this.inbox = new Inbox(this);
    this.backlog = new Backlog(this);
    this.sender = new Sender(this);
    this.channels = new Channels(this);
    this.watches = new Watches(this);
    this.firstUrl = (int) (env.random().nextDouble() * options.urls().size());
  }

  /** The application connects after it had closed, or for the first time. */
  void opened() {
    inbox.resume();
    backlog.resume();
    channels.resume();
    keeper.resume();
  }

  /** A connection is over; another may follow. */
  void disconnected() {
    inbox.disconnected();
    backlog.disconnected();
    sender.disconnected();
    channels.disconnected();
    watches.disconnected();
  }

  /** Nothing follows until the application asks: no timer may be left. */
  void closed() {
    inbox.pause();
    backlog.pause();
    channels.pause();
    keeper.pause();
  }

  /** Closes, and forgets the account here and in the store. */
  void logout(CompletableFuture<Void> done) {
    machine.close();
    sender.forget();
    CompletableFuture<Void> wiped = loader.wipe();
    forget();
    CompletableFuture<?> unused =
        wiped.whenComplete(
            (nothing, error) -> {
              if (error == null) {
                done.complete(null);
              } else {
                done.completeExceptionally(error);
              }
            });
  }

  private void forget() {
    inbox.forget();
    backlog.forget();
    channels.forget();
    watches.forget();
    session.forget();
    loader.forget();
    http.forget();
  }

  Telling telemetry(String type) {
    return new Telling(this, type);
  }

  /** Calls a listener of the application, after those before; one that fails is logged. */
  <T> void tell(String what, @Nullable Consumer<T> listener, T value) {
    if (listener != null) {
      onApp(
          () -> {
            try {
              listener.accept(value);
            } catch (Throwable e) { // nothing may stop those behind it
              LOG.warn("the application's {} listener failed", what, e);
            }
          });
    }
  }

  /** Runs it where listeners run, after them; here, where the application's executor is shut. */
  void onApp(Runnable work) {
    try {
      tell.execute(work);
    } catch (RejectedExecutionException e) {
      work.run();
    }
  }

  /** Drawn, so that nodes share those who begin together. */
  int firstUrl() {
    return firstUrl;
  }

  Options options() {
    return options;
  }

  Env env() {
    return env;
  }

  Handlers handlers() {
    return handlers;
  }

  Counters counters() {
    return counters;
  }

  Keeper keeper() {
    return keeper;
  }

  Session session() {
    return session;
  }

  Loader loader() {
    return loader;
  }

  Machine machine() {
    return machine;
  }

  Inbox inbox() {
    return inbox;
  }

  Backlog backlog() {
    return backlog;
  }

  Sender sender() {
    return sender;
  }

  Channels channels() {
    return channels;
  }

  Watches watches() {
    return watches;
  }

  Http http() {
    return http;
  }
}
