package dev.holdfast.testkit.process;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Many {@link PhoneClient}s on a few threads: one scheduler, one HTTP client, one seed. */
public final class Phones implements AutoCloseable {
  final HttpClient http;
  final Timing timing;
  private final ScheduledThreadPoolExecutor scheduler;
  private final ExecutorService callbacks;
  private final Random seeds;
  private final List<PhoneClient> phones = new ArrayList<>();

  /**
   * How a phone behaves in time; all in milliseconds.
   *
   * @param heartbeatMs between pings, and how long a pong may take; 0: as {@code welcome} says
   * @param welcomeTimeoutMs from hello to welcome before it tries elsewhere
   * @param backoffMs first reconnect delay; doubles, jittered over its whole range
   * @param backoffMaxMs largest reconnect delay
   * @param ackMs how long an acknowledgement waits for others
   */
  public record Timing(
      long heartbeatMs, long welcomeTimeoutMs, long backoffMs, long backoffMaxMs, long ackMs) {

    /** Impatient, so that a test of minutes sees many reconnects. */
    public static final Timing TEST = new Timing(3_000, 10_000, 200, 3_000, 50);

    /** Whether a client stays away after this close code (protocol.md). */
    boolean endsForGood(int code) {
      return switch (code) {
        case 1002, 1003, 1007, 1008, 1009, 1010, 4002 -> true;
        case 4408 -> false;
        default -> code >= 4400 && code < 4500;
      };
    }

    /** How long to wait before the next connection, after so many in a row that failed. */
    long waitMs(int code, int failures, RandomGenerator random) {
      if (code == 4001) {
        return 500 + random.nextLong(1_000);
      }
      return 1 + random.nextLong(Math.min(backoffMaxMs, backoffMs << Math.min(failures, 10)));
    }
  }

  public Phones(long seed) {
    this(seed, Timing.TEST);
  }

  public Phones(long seed, Timing timing) {
    this.seeds = new Random(seed);
    this.timing = timing;
    this.scheduler = new ScheduledThreadPoolExecutor(2, Phones::daemon);
    scheduler.setRemoveOnCancelPolicy(true);
    scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.callbacks = Executors.newFixedThreadPool(4, Phones::daemon);
    this.http =
        HttpClient.newBuilder()
            .executor(callbacks)
            .connectTimeout(Duration.ofMillis(timing.welcomeTimeoutMs()))
            .build();
  }

  private static Thread daemon(Runnable body) {
    Thread thread = new Thread(body, "phones");
    thread.setDaemon(true);
    return thread;
  }

  /** A phone that was never online and wants everything: {@code lastSeq} 0. Not yet connected. */
  public PhoneClient phone(String user, String clientId, List<URI> edges) {
    return phone(user, clientId, edges, 0);
  }

  /**
   * A phone that is not yet connected.
   *
   * @param edges tried in turn, the first first
   * @param lastSeq its cursor
   */
  public synchronized PhoneClient phone(
      String user, String clientId, List<URI> edges, long lastSeq) {
    PhoneClient phone =
        new PhoneClient(this, user, clientId, edges, lastSeq, new Random(seeds.nextLong()));
    phones.add(phone);
    return phone;
  }

  public synchronized List<PhoneClient> all() {
    return List.copyOf(phones);
  }

  /** Runs {@code body} later; never, once these phones are closed. */
  void schedule(long ms, Runnable body) {
    try {
      var unused = scheduler.schedule(body, ms, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      return; // closed
    }
  }

  /** Stops every phone. */
  @Override
  public void close() {
    all().forEach(PhoneClient::close);
    scheduler.shutdownNow();
    callbacks.shutdown();
  }
}
