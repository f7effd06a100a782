package dev.holdfast.client;

import dev.holdfast.client.net.JdkTransport;
import dev.holdfast.client.net.SerialExecutor;
import dev.holdfast.client.net.SystemClock;
import dev.holdfast.client.net.SystemTimers;
import dev.holdfast.client.port.Timers;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.Names;
import dev.holdfast.client.store.MemoryStore;
import dev.holdfast.client.store.Store;
import java.net.http.HttpClient;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Options of a client. A URL is needed; the rest has defaults. Not safe for several threads; may be
 * used again for another client.
 */
public final class HoldfastClientBuilder {
  /** What clients have together: threads end when they are idle, so there is nothing to close. */
  private static final class Shared {
    static final Executor DAEMONS = SerialExecutor.daemons();
    static final Timers TIMERS = new SystemTimers();
    static final HttpClient HTTP = HttpClient.newBuilder().executor(DAEMONS).build();
    static final SecureRandom RANDOM = new SecureRandom();
  }

  private List<String> urls = List.of();
  private @Nullable Supplier<CompletionStage<String>> urlFunction;
  private @Nullable String user;
  private @Nullable String clientId;
  private @Nullable String name;
  private @Nullable String token;
  private @Nullable Supplier<CompletionStage<String>> tokenFunction;
  private Preset preset = Preset.WEB;
  private @Nullable Backoff backoff;
  private Backoff.@Nullable Jitter jitter;
  private @Nullable Duration heartbeat;
  private int misses = 2;
  private Duration connectTimeout = Duration.ofSeconds(8);
  private Duration stableTime = Duration.ofSeconds(60);
  private int maxAttempts = 8;
  private int outboxMax = 500;
  private @Nullable Store store;
  private @Nullable Executor executor;
  private @Nullable HttpClient httpClient;
  private @Nullable Env env;

  HoldfastClientBuilder() {}

  /** {@code ws://host:port/v1/ws} or {@code wss://…}. */
  public HoldfastClientBuilder url(String only) {
    return urls(List.of(only));
  }

  /** One after the other is tried, beginning with any. */
  public HoldfastClientBuilder urls(List<String> several) {
    if (several.isEmpty()) {
      throw new IllegalArgumentException("a client needs a URL");
    }
    urls = List.copyOf(several);
    urlFunction = null;
    return this;
  }

  /** Is asked at each attempt. */
  public HoldfastClientBuilder urlSupplier(Supplier<CompletionStage<String>> function) {
    urlFunction = function;
    urls = List.of();
    return this;
  }

  /** Who this is, where the server asks for no token; otherwise the token says it. */
  public HoldfastClientBuilder user(String whose) {
    user = Names.check("user", whose);
    return this;
  }

  /** This installation. Without it one is made, and kept in the store. */
  public HoldfastClientBuilder clientId(String id) {
    clientId = Names.check("clientId", id);
    return this;
  }

  /** Of the keys in the store; without it the first URL, or {@code default} with a function. */
  public HoldfastClientBuilder name(String storeName) {
    name = storeName;
    return this;
  }

  /** A fixed token. When it is refused the client stops. */
  public HoldfastClientBuilder token(String fixed) {
    token = fixed;
    tokenFunction = null;
    return this;
  }

  /** Is asked for a token at each attempt, and when one is about to end. */
  public HoldfastClientBuilder token(Supplier<CompletionStage<String>> function) {
    tokenFunction = function;
    token = null;
    return this;
  }

  public HoldfastClientBuilder preset(Preset kind) {
    preset = kind;
    return this;
  }

  /** Instead of the preset's. */
  public HoldfastClientBuilder backoff(Backoff other) {
    backoff = other;
    return this;
  }

  /** Instead of {@link Backoff.Jitter#FULL}. */
  public HoldfastClientBuilder jitter(Backoff.Jitter other) {
    jitter = other;
    return this;
  }

  /** At most so long between two heartbeats; the server's and the preset's time hold where less. */
  public HoldfastClientBuilder heartbeat(Duration atMost) {
    heartbeat = positive("heartbeat", atMost);
    return this;
  }

  /** Unanswered heartbeats until a connection is dead; 2. */
  public HoldfastClientBuilder misses(int count) {
    misses = positive("misses", count);
    return this;
  }

  /** From an attempt to its {@code welcome}; 8 s. */
  public HoldfastClientBuilder connectTimeout(Duration limit) {
    connectTimeout = positive("connectTimeout", limit);
    return this;
  }

  /** After so long on one connection failures are forgotten; 60 s. */
  public HoldfastClientBuilder stableTime(Duration time) {
    stableTime = positive("stableTime", time);
    return this;
  }

  /** Failures in a row after which the client rests; 8. */
  public HoldfastClientBuilder maxAttempts(int count) {
    maxAttempts = positive("maxAttempts", count);
    return this;
  }

  /** Messages that may wait; beyond that the oldest is dropped; 500. */
  public HoldfastClientBuilder outboxMax(int count) {
    outboxMax = positive("outboxMax", count);
    return this;
  }

  /** Where cursor and outbox are kept; in memory without it. It is not closed with the client. */
  public HoldfastClientBuilder store(Store where) {
    store = where;
    return this;
  }

  /** Runs handlers, listeners and the functions given here; daemon threads without it. */
  public HoldfastClientBuilder executor(Executor handlers) {
    executor = handlers;
    return this;
  }

  /** For proxies and TLS; without it all clients share one. */
  public HoldfastClientBuilder httpClient(HttpClient other) {
    httpClient = other;
    return this;
  }

  /** A world made up by a test. */
  HoldfastClientBuilder env(Env other) {
    env = other;
    return this;
  }

  /**
   * Makes the client; it does not connect yet.
   *
   * @throws IllegalStateException when there is no URL
   */
  public HoldfastClient build() {
    if (urls.isEmpty() && urlFunction == null) {
      throw new IllegalStateException("a client needs url(), urls() or urlSupplier()");
    }
    return new HoldfastClient(options(), env == null ? world() : env);
  }

  private Options options() {
    Backoff chosen = backoff == null ? preset.backoff() : backoff;
    long longest = preset.heartbeatMs();
    return new Options(
        urls,
        urlFunction,
        user,
        clientId,
        storeName(),
        token,
        tokenFunction,
        jitter == null ? chosen : chosen.withJitter(jitter),
        heartbeat == null ? longest : heartbeat.toMillis(),
        misses,
        connectTimeout.toMillis(),
        stableTime.toMillis(),
        maxAttempts,
        outboxMax);
  }

  private String storeName() {
    if (name != null) {
      return name;
    }
    return urls.isEmpty() ? "default" : urls.get(0).replaceFirst("[?#].*$", "");
  }

  private Env world() {
    HttpClient http = httpClient == null ? Shared.HTTP : httpClient;
    return new Env(
        new SerialExecutor(Shared.DAEMONS),
        executor == null ? Shared.DAEMONS : executor,
        new SystemClock(),
        Shared.TIMERS,
        Shared.RANDOM,
        new JdkTransport(http, Shared.TIMERS),
        store == null ? new MemoryStore() : store);
  }

  private static Duration positive(String what, Duration value) {
    if (value.toMillis() < 1) {
      throw new IllegalArgumentException(what + " must be 1 ms at least, not " + value);
    }
    return value;
  }

  private static int positive(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be 1 at least, not " + value);
    }
    return value;
  }
}
