package dev.holdfast.client;

import dev.holdfast.client.rules.Tokens;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an earlier process left, once it is known whose it is: by the option {@code user}, or
 * by the first token, or by the {@code clientId}.
 */
final class Loader {
  /** After so many failures the client goes on in memory. */
  private static final int TRIES = 3;

  private final Core core;
  private @Nullable String user;
  private @Nullable CompletableFuture<Void> loading;
  private boolean loaded;
  private int failures;
  private long account;

  Loader(Core core) {
    this.core = core;
  }

  boolean loaded() {
    return loaded;
  }

  /** The user, as far as it is known; empty otherwise. */
  String user() {
    return user == null ? "" : user;
  }

  /** The key of a value of this account. */
  String key(String name) {
    return prefix(user()) + name;
  }

  private String prefix(String of) {
    return "holdfast/1/" + core.options().storeName() + "/" + of + "/";
  }

  /** Whether it can be known now whose things to load. */
  boolean canLoad() {
    return core.options().user() != null || core.options().tokenFunction() == null;
  }

  /**
   * Loads, unless it has; fails when the store cannot be read, or when the token is of another user
   * than the one before.
   */
  CompletableFuture<Void> load(@Nullable String token) {
    String whose = whose(token);
    if (loaded || loading != null) {
      boolean other = !whose.equals(user()) && core.options().user() == null;
      if (other && token != null && Tokens.user(token) != null) {
        return CompletableFuture.failedFuture(new OtherUserException());
      }
      return loading != null ? loading : CompletableFuture.completedFuture(null);
    }
    user = whose;
    long mine = account;
    CompletableFuture<Void> now =
        core.keeper()
            .read(prefix(whose))
            .handleAsync((values, error) -> take(mine, values, error), core.env().loop());
    loading = now;
    return now;
  }

  private String whose(@Nullable String token) {
    Options options = core.options();
    String sub = token == null ? null : Tokens.user(token);
    if (options.user() != null) {
      return options.user();
    }
    if (sub != null) {
      return sub;
    }
    return options.clientId() != null ? options.clientId() : "";
  }

  @SuppressWarnings("NullAway") // Void has no other value
  private Void take(long mine, @Nullable Map<String, String> values, @Nullable Throwable error) {
    if (mine != account) {
      throw new IllegalStateException("logged out");
    }
    loading = null;
    if (values == null || error != null) {
      core.telemetry("storage_failed")
          .reason("read")
          .error(error == null ? new IllegalStateException("no values") : error)
          .tell();
      if (++failures < TRIES) {
        throw new IllegalStateException("the store cannot be read");
      }
      core.keeper().memoryOnly();
      begin(Map.of());
    } else {
      begin(values);
    }
    return null;
  }

  private void begin(Map<String, String> values) {
    loaded = true;
    Session session = core.session();
    String stored = values.get(key("session"));
    if (stored != null) {
      session.read(stored);
    }
    String seen = values.get(key("seen"));
    if (seen != null) {
      session.readSeen(seen);
    }
    String chosen = core.options().clientId();
    if (chosen != null) {
      session.clientId = chosen;
    } else if (session.clientId.isEmpty()) {
      session.clientId = Session.randomId(core.env().random());
    }
    core.inbox().loaded();
    core.channels().loaded(values.get(key("channels")));
    core.sender().loaded(values, key("out/"));
  }

  /** Deletes what is stored of this account, as far as it is known whose it is. */
  CompletableFuture<Void> wipe() {
    String whose = user != null ? user : whose(core.options().token());
    return user != null || canLoad()
        ? core.keeper().wipe(prefix(whose))
        : CompletableFuture.completedFuture(null);
  }

  void forget() {
    account++;
    user = null;
    loading = null;
    loaded = false;
    failures = 0;
  }

  /** A token of another user came: this account's things are not for that one. */
  static final class OtherUserException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
