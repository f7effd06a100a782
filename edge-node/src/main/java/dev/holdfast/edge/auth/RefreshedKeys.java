package dev.holdfast.edge.auth;

import com.nimbusds.jose.JWSAlgorithm;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that somebody else publishes and changes. One thread of its own fetches them: at the start,
 * then at an interval, and at once when a token names a key that is not there, though not more
 * often than every few seconds. While a fetch fails, the keys that are there stay in use, and of a
 * token that they do not fit nobody says that it is bad.
 */
final class RefreshedKeys implements Keys {
  /** Where keys come from. */
  @FunctionalInterface
  interface Source {
    /** Blocks until it has them, for a bounded time. */
    List<VerifyKey> fetch() throws IOException;
  }

  /**
   * How often to fetch, in milliseconds.
   *
   * @param refreshMs between two fetches that succeed
   * @param retryMs after the first that fails; doubled each time, up to 30 times as much
   * @param leastMs least time between the starts of two fetches
   */
  record Pace(long refreshMs, long retryMs, long leastMs) {
    static final Pace URL = new Pace(300_000, 1_000, 10_000);
    static final Pace FILE = new Pace(10_000, 1_000, 2_000);
  }

  /** What a client is told to wait while a fetch is under way or failed, in milliseconds. */
  static final long RETRY_AFTER_MS = 2_000;

  private static final int MOST_RETRY = 30;

  /** Longest name of a key, in characters, that is fetched for. */
  private static final int MOST_NAME = 256;

  private static final Logger LOG = LoggerFactory.getLogger(RefreshedKeys.class);

  private final String name;
  private final Source source;
  private final Pace pace;
  private final LongSupplier ticker;
  private final ScheduledThreadPoolExecutor executor;
  private volatile @Nullable List<VerifyKey> keys;
  private volatile boolean failing;
  private final Map<String, Long> asked = new BoundedNames();
  private boolean fetching;
  private long begun;
  private long succeeded;
  private long lastStartMs;
  private int failures;

  /**
   * @param name of the place, for the log
   * @param ticker monotonic milliseconds
   */
  RefreshedKeys(String name, Source source, Pace pace, LongSupplier ticker) {
    this.name = name;
    this.source = source;
    this.pace = pace;
    this.ticker = ticker;
    this.executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "holdfast-keys");
              thread.setDaemon(true);
              return thread;
            });
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Begins to fetch. */
  synchronized RefreshedKeys start() {
    begin();
    return this;
  }

  @Override
  public Found find(@Nullable String kid, JWSAlgorithm algorithm) {
    List<VerifyKey> known = keys;
    if (known == null) {
      return new Found.Unavailable(RETRY_AFTER_MS);
    }
    List<VerifyKey> fitting = Keys.fitting(known, kid, algorithm);
    if (fitting.isEmpty() && kid != null && published(algorithm) && mayBeThere(kid)) {
      return new Found.Unavailable(RETRY_AFTER_MS);
    }
    return new Found.These(fitting);
  }

  /** Whether a key for it could be in a set at all; what strangers make up costs no fetch. */
  private static boolean published(JWSAlgorithm algorithm) {
    return algorithm.equals(JWSAlgorithm.RS256) || algorithm.equals(JWSAlgorithm.ES256);
  }

  /**
   * Whether a key of that name may have been published: until a fetch that began after somebody
   * first asked for it has succeeded. Begins one, unless that was done just now.
   */
  private synchronized boolean mayBeThere(String kid) {
    if (kid.length() > MOST_NAME) {
      return false;
    }
    Long before = asked.putIfAbsent(kid, begun);
    if (before != null && succeeded > before && !failing) {
      return false;
    }
    if (!fetching && ticker.getAsLong() - lastStartMs >= pace.leastMs()) {
      begin();
    }
    return true;
  }

  /** Puts a fetch at the head of the line; the one that was due later falls away. */
  private void begin() {
    if (executor.isShutdown()) {
      return;
    }
    fetching = true;
    begun++;
    lastStartMs = ticker.getAsLong();
    executor.getQueue().clear();
    executor.execute(this::fetch);
  }

  private void fetch() {
    boolean done = false;
    try {
      List<VerifyKey> fetched = List.copyOf(source.fetch());
      if (!fetched.isEmpty()) {
        logChange(fetched);
        keys = fetched;
        done = true;
      } else {
        LOG.atWarn().log("{} has no key that can be used{}", name, consequence());
      }
    } catch (IOException | RuntimeException e) {
      LOG.atWarn().log("cannot fetch keys from {}: {}{}", name, e.toString(), consequence());
    }
    ended(done);
  }

  private synchronized void ended(boolean done) {
    fetching = false;
    failing = !done;
    succeeded = done ? begun : succeeded;
    failures = done ? 0 : Math.min(failures + 1, 20);
    long backoffMs = pace.retryMs() * Math.min(MOST_RETRY, 1L << Math.max(0, failures - 1));
    long delayMs = done ? pace.refreshMs() : Math.min(pace.refreshMs(), backoffMs);
    if (!executor.isShutdown()) {
      var unused = executor.schedule(this::again, delayMs, TimeUnit.MILLISECONDS);
    }
  }

  private synchronized void again() {
    if (!fetching) {
      begin();
    }
  }

  private String consequence() {
    return keys == null
        ? "; nobody can come in until that works"
        : "; the keys that are known stay in use";
  }

  private void logChange(List<VerifyKey> fetched) {
    String before = String.valueOf(keys);
    if (!before.equals(fetched.toString()) || failing) {
      LOG.atInfo().log("keys from {}: {}", name, fetched);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  /** Names that were not found, each with the number of fetches begun by then; the newest. */
  private static final class BoundedNames extends LinkedHashMap<String, Long> {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 256;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
      return size() > MOST;
    }
  }
}
