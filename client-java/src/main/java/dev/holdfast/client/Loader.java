package dev.holdfast.client;

import dev.holdfast.client.rules.Tokens;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an earlier process left, once it is known whose it is: by the option {@code user}, or
 * by the first token, or by the {@code clientId}.
 */
final class Loader {
  /** After so many failures the client goes on in memory. */
  private static final int TRIES = 3;

  private final Core core;
  private @Nullable String token;
  private @Nullable String user;
  private @Nullable CompletableFuture<Void> loading;
  private boolean loaded;
  private int failures;
  private long account;

  Loader(Core core) {
    this.core = core;
    this.token = core.options().token();
  }

  /** The fixed token; null without one, and after a logout. */
  @Nullable String token() {
    return token;
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
  CompletableFuture<Void> load(@Nullable String with) {
    String whose = whose(with);
    if (loaded || loading != null) {
      boolean other = !whose.equals(user()) && core.options().user() == null;
      if (other && with != null && Tokens.user(with) != null) {
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

  private String whose(@Nullable String with) {
    Options options = core.options();
    String sub = with == null ? null : Tokens.user(with);
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

  /** What cannot be read counts as absent, row by row, and the application is told. */
  private void begin(Map<String, String> values) {
    loaded = true;
    Session session = core.session();
    take(values, "session", session::read);
    take(values, "seen", session::readSeen);
    String chosen = core.options().clientId();
    String before = session.clientId;
    if (chosen != null) {
      session.clientId = chosen;
    } else if (before.isEmpty()) {
      session.clientId = Session.randomId(core.env().random());
    }
    boolean renamed = !before.equals(session.clientId) && !(before.isEmpty() && chosen != null);
    core.inbox().loaded();
    take(values, "channels", core.channels()::loaded);
    core.sender().loaded(values, key("out/"), renamed).forEach(this::unreadable);
  }

  private void take(Map<String, String> values, String name, Predicate<String> reader) {
    String stored = values.get(key(name));
    if (stored != null && !reader.test(stored)) {
      unreadable(key(name));
    }
  }

  private void unreadable(String key) {
    String row = key.substring(prefix(user()).length());
    String what = "row " + row + " of the store is damaged; what cannot be read of it is left out";
    core.telemetry("storage_failed")
        .reason("unreadable " + row)
        .error(new IllegalStateException(what))
        .tell();
  }

  /** Deletes what is stored of this account; fails where no token has told yet whose that is. */
  CompletableFuture<Void> wipe() {
    if (user == null && !canLoad()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("no token has told yet whose store it is"));
    }
    return core.keeper().wipe(prefix(user != null ? user : whose(token)));
  }

  void forget() {
    account++;
    token = null;
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
