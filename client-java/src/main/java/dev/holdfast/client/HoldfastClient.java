package dev.holdfast.client;

import dev.holdfast.client.net.SerialExecutor;
import dev.holdfast.client.rules.Names;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connects an application to Holdfast and keeps it connected: reconnects, resumes where it was,
 * hands each message over once and in order, and sends what the application wrote when it can.
 *
 * <p>All methods may be called on any thread and return at once, but {@link #close}. Handlers and
 * listeners run on the executor that the builder was given: message, history and event handlers
 * each one item at a time, listeners one after the other. A handler that throws, or whose stage
 * fails, is called again with the same item. Register before {@link #connect}.
 */
public final class HoldfastClient implements AutoCloseable {
  private static final long CLOSE_S = 6; // longer than a call of the store may take

  private final Handlers handlers = new Handlers();
  private final Env env;
  private final Core core;

  HoldfastClient(Options options, Env env) {
    this.env = env;
    this.core = new Core(options, env, handlers, new SerialExecutor(env.app()));
  }

  public static HoldfastClientBuilder builder() {
    return new HoldfastClientBuilder();
  }

  // ---- connection

  /** Connects, and stays connected. While waiting for an attempt: makes it soon. */
  public void connect() {
    env.loop().execute(core.machine()::connect);
  }

  /**
   * Disconnects; nothing reconnects until {@link #connect}. What is stored stays. Through when the
   * store has what it should.
   */
  public CompletionStage<Void> disconnect() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    env.loop()
        .execute(
            () -> {
              core.machine().close();
              core.keeper().whenTried(ok -> done.complete(null));
            });
    return done;
  }

  /** {@link #disconnect}, and waits for it, 6 s at most; then {@link IllegalStateException}. */
  @Override
  public void close() {
    try {
      disconnect().toCompletableFuture().get(CLOSE_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the store did not take what was written last", e);
    }
  }

  /**
   * Disconnects, drops what was not sent, and deletes all that is stored of this user. Fails when
   * the store cannot delete, and with {@link IllegalStateException} where no token has told yet
   * whose store it is; what was not sent is dropped all the same.
   */
  public CompletionStage<Void> logout() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    env.loop().execute(() -> core.logout(done));
    return done;
  }

  /** What the platform says of its network: without one, attempts wait until there is one. */
  public void networkAvailable(boolean there) {
    env.loop().execute(() -> core.machine().network(there));
  }

  /** Another network, or the application was brought back: looks whether the connection lives. */
  public void wake() {
    env.loop().execute(() -> core.machine().wake("wake"));
  }

  public State state() {
    return core.machine().state();
  }

  public Metrics metrics() {
    return core.counters().snapshot();
  }

  // ---- handlers

  /** A message is acknowledged when the handler returns; when it throws it is called again. */
  public HoldfastClient onMessage(Consumer<Message> handler) {
    return onMessageAsync(stage(handler));
  }

  /** A message is acknowledged when the stage is through; when it fails it is called again. */
  public HoldfastClient onMessageAsync(Function<Message, ? extends CompletionStage<?>> handler) {
    handlers.message = handler::apply;
    env.loop().execute(core.inbox()::resume);
    return this;
  }

  /** What a resume did not bring. Without a handler it stays owed. */
  public HoldfastClient onHistory(Consumer<History> handler) {
    return onHistoryAsync(stage(handler));
  }

  /** As {@link #onHistory}, through when the stage is. */
  public HoldfastClient onHistoryAsync(Function<History, ? extends CompletionStage<?>> handler) {
    handlers.history = handler::apply;
    env.loop().execute(core.backlog()::resume);
    return this;
  }

  /** Events of channels. */
  public HoldfastClient onEvent(Consumer<ChannelEvent> handler) {
    return onEventAsync(stage(handler));
  }

  /** As {@link #onEvent}, through when the stage is. */
  public HoldfastClient onEventAsync(Function<ChannelEvent, ? extends CompletionStage<?>> handler) {
    handlers.event = handler::apply;
    env.loop().execute(core.channels()::resume);
    return this;
  }

  private static <T> Function<T, CompletionStage<?>> stage(Consumer<T> handler) {
    return item -> {
      handler.accept(item);
      return CompletableFuture.completedFuture(null);
    };
  }

  public HoldfastClient onState(Consumer<StateChange> listener) {
    handlers.state = listener;
    return this;
  }

  public HoldfastClient onPresence(Consumer<Presence> listener) {
    handlers.presence = listener;
    return this;
  }

  public HoldfastClient onSubscribed(Consumer<Subscribed> listener) {
    handlers.subscribed = listener;
    return this;
  }

  public HoldfastClient onUnsubscribed(Consumer<Unsubscribed> listener) {
    handlers.unsubscribed = listener;
    return this;
  }

  /** Each accepted message, also those that an earlier process had sent. */
  public HoldfastClient onSent(Consumer<Sent> listener) {
    handlers.sent = listener;
    return this;
  }

  /** Each message that left the outbox unaccepted, also those of an earlier process. */
  public HoldfastClient onDropped(Consumer<Dropped> listener) {
    handlers.dropped = listener;
    return this;
  }

  public HoldfastClient onTelemetry(Consumer<Telemetry> listener) {
    handlers.telemetry = listener;
    return this;
  }

  // ---- sending

  /** As {@link #send(To, Object, String)} with an id that the client makes. */
  public CompletableFuture<Sent> send(To to, @Nullable Object payload) {
    return submit(to, payload, null);
  }

  /**
   * Puts a message into the outbox, from where it goes out as soon as it can.
   *
   * @param payload Jackson's {@code JsonNode}, a {@link RawJson}, or anything that Jackson can
   *     write
   * @param clientMsgId the application's own id, 1 to 64 characters: the same one sent again is the
   *     same message
   * @return through when the server has it; fails with {@link NotSentException}, or with {@link
   *     IllegalArgumentException} for what can never be sent
   */
  public CompletableFuture<Sent> send(To to, @Nullable Object payload, String clientMsgId) {
    return submit(to, payload, clientMsgId);
  }

  private CompletableFuture<Sent> submit(To to, @Nullable Object payload, @Nullable String id) {
    CompletableFuture<Sent> promise = new CompletableFuture<>();
    try {
      String text = RawJson.textOf(payload);
      String checked = id == null ? null : Names.checkMessageId(id);
      env.loop().execute(() -> core.sender().send(to.toString(), text, checked, promise));
    } catch (IllegalArgumentException e) {
      promise.completeExceptionally(e);
    }
    return promise;
  }

  // ---- channels and presence

  /** From where an earlier process stood, or from now on. */
  public void subscribe(String channel) {
    subscribe(channel, null, null);
  }

  /**
   * Subscribes; {@link #onSubscribed} tells what came of it. The client keeps the list over
   * connections, not over processes.
   *
   * @param position from where on; null: where an earlier process stood, or from now on
   * @param maxRate events a second, for channels of mode {@code latest}; null: all
   * @throws IllegalArgumentException when it is no channel's name, or the rate is not 0.01 to 1000
   */
  public void subscribe(String channel, @Nullable String position, @Nullable Double maxRate) {
    Names.checkChannel(channel);
    if (maxRate != null && !(maxRate >= 0.01 && maxRate <= 1000)) {
      throw new IllegalArgumentException("maxRate must be 0.01 to 1000, not " + maxRate);
    }
    env.loop().execute(() -> core.channels().subscribe(channel, position, maxRate));
  }

  /** Ends it; {@link #onUnsubscribed} tells when no event follows. */
  public void unsubscribe(String channel) {
    env.loop().execute(() -> core.channels().unsubscribe(channel));
  }

  /**
   * Watches users as well, at most 1000 together: {@link #onPresence}.
   *
   * @throws IllegalArgumentException when one is no name
   */
  public void watch(Collection<String> users) {
    List<String> names = users.stream().map(name -> Names.check("a user", name)).toList();
    env.loop().execute(() -> core.watches().watch(names));
  }

  public void unwatch(Collection<String> users) {
    List<String> names = List.copyOf(users);
    env.loop().execute(() -> core.watches().unwatch(names));
  }

  /** The last that is known of a watched user; null when nothing is yet. */
  public @Nullable Presence presence(String user) {
    return core.watches().last(user);
  }

  // ---- history

  /**
   * A page of the mailbox, asked of the node that the client was last connected to.
   *
   * @param after the seqs above this one
   * @param limit at most so many messages, 1 to 1000
   * @return fails with {@link HttpRefusedException} when the server refuses
   */
  public CompletableFuture<HistoryPage> history(long after, int limit) {
    return onLoop(() -> core.http().history(after, limit));
  }

  /**
   * A page of a channel's events.
   *
   * @param after the position behind which to begin; null: the oldest that is kept
   * @param limit at most so many events, 1 to 1000
   * @return fails with {@link HttpRefusedException} when the server refuses
   */
  public CompletableFuture<ChannelPage> channelHistory(
      String channel, @Nullable String after, int limit) {
    Names.checkChannel(channel);
    return onLoop(() -> core.http().channel(channel, after, limit));
  }

  private <T> CompletableFuture<T> onLoop(Supplier<CompletableFuture<T>> work) {
    return CompletableFuture.completedFuture("")
        .thenComposeAsync(nothing -> work.get(), env.loop());
  }
}
