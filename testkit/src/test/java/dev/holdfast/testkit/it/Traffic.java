package dev.holdfast.testkit.it;

import dev.holdfast.testkit.process.PhoneClient;
import dev.holdfast.testkit.process.PhoneLog;
import dev.holdfast.testkit.process.Phones;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;

/** Steady messages between phones that come back by themselves; every draw is from one seed. */
final class Traffic implements AutoCloseable {
  private static final int TICK_MS = 20;

  private final Phones phones;
  private final List<PhoneClient> all = new ArrayList<>();
  private final Random random;
  private final int perTick;
  private final int[] counters;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong offered = new AtomicLong();
  private final boolean cuts;
  private final int rate;

  /**
   * Makes and starts the phones.
   *
   * @param rate messages a second over all
   */
  Traffic(long seed, int users, int rate, List<URI> edges) throws InterruptedException {
    this(seed, users, rate, edges, true);
  }

  /**
   * The same.
   *
   * @param cuts whether connections are cut now and then, about ten a second
   */
  Traffic(long seed, int users, int rate, List<URI> edges, boolean cuts)
      throws InterruptedException {
    this.cuts = cuts;
    this.rate = rate;
    this.phones = new Phones(seed);
    this.random = new Random(seed);
    this.perTick = Math.max(1, rate * TICK_MS / 1000);
    this.counters = new int[users];
    for (int i = 0; i < users; i++) {
      List<URI> mine = new ArrayList<>(edges);
      java.util.Collections.rotate(mine, i);
      all.add(phones.phone("user" + i, "phone" + i, mine).start());
    }
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> all.stream().allMatch(p -> p.log().counts().containsKey("resumed")));
  }

  /** Begins to send. */
  void start() {
    var unused = clock.scheduleAtFixedRate(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    for (int i = 0; i < perTick; i++) {
      int from = random.nextInt(all.size());
      int to = random.nextInt(all.size());
      all.get(from).send(all.get(to).user(), Integer.toString(counters[from]++));
      offered.incrementAndGet();
    }
    if (cuts && random.nextInt(100) < 20) {
      all.get(random.nextInt(all.size())).cut();
    }
  }

  /** Stops sending and waits until all that was offered is accepted and handed over. */
  void settle(Duration patience) throws InterruptedException {
    clock.shutdown();
    if (!clock.awaitTermination(10, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the clock does not stop");
    }
    Ledger ledger = ledger();
    Awaitility.await()
        .atMost(patience)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(
            () -> {
              org.assertj.core.api.Assertions.assertThat(unsent()).isZero();
              org.assertj.core.api.Assertions.assertThat(ledger.missing()).isEmpty();
            });
  }

  private int unsent() {
    return all.stream().mapToInt(PhoneClient::unsent).sum();
  }

  Ledger ledger() {
    return new Ledger(all);
  }

  List<PhoneClient> phones() {
    return all;
  }

  long offered() {
    return offered.get();
  }

  /** Until as many messages were handed over as are offered in {@code seconds}. */
  void flow(int seconds) {
    awaitMore((long) seconds * rate);
  }

  /** Until so many more were handed over. */
  void awaitMore(long messages) {
    long before = handed();
    Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> handed() >= before + messages);
  }

  /** How many messages all phones together were handed. */
  long handed() {
    return all.stream().mapToLong(p -> p.log().handedCount()).sum();
  }

  /** How connections ended, over all phones: {@code user3: closed 1006}. */
  List<String> closed() {
    return all.stream()
        .flatMap(
            p ->
                p.log().counts().keySet().stream()
                    .filter(k -> k.startsWith("closed"))
                    .map(k -> p.user() + ": " + k))
        .toList();
  }

  /**
   * The longest time, in ms, without any message to each phone between two moments, sorted: what
   * the clients saw of a fault.
   */
  long[] longestGaps(long fromNanos, long toNanos) {
    List<Long> gaps = new ArrayList<>();
    for (PhoneClient phone : all) {
      long last = fromNanos;
      long longest = 0;
      for (PhoneLog.Handed h : phone.log().handed()) {
        if (h.nanos() >= fromNanos && h.nanos() <= toNanos) {
          longest = Math.max(longest, h.nanos() - last);
          last = h.nanos();
        }
      }
      gaps.add(TimeUnit.NANOSECONDS.toMillis(Math.max(longest, toNanos - last)));
    }
    return gaps.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /**
   * Time from the first offer of each message to its hand-over, in ms, for those offered between
   * two moments; sorted.
   */
  long[] delays(long fromNanos, long toNanos) {
    java.util.Map<String, Long> created = new java.util.HashMap<>();
    for (PhoneClient phone : all) {
      for (PhoneLog.Sent s : phone.log().sent()) {
        if (s.createdNanos() >= fromNanos && s.createdNanos() <= toNanos) {
          created.put(s.msgId(), s.createdNanos());
        }
      }
    }
    return all.stream()
        .flatMap(p -> p.log().handed().stream())
        .filter(h -> created.containsKey(h.msgId()))
        .mapToLong(
            h ->
                TimeUnit.NANOSECONDS.toMillis(
                    h.nanos() - created.getOrDefault(h.msgId(), h.nanos())))
        .sorted()
        .toArray();
  }

  static long percentile(long[] sorted, double p) {
    return sorted.length == 0
        ? 0
        : sorted[(int) Math.min(sorted.length - 1L, Math.round(sorted.length * p / 100))];
  }

  static String summary(long[] sorted) {
    return "p50 "
        + percentile(sorted, 50)
        + " p99 "
        + percentile(sorted, 99)
        + " max "
        + Arrays.stream(sorted).max().orElse(0)
        + " ms";
  }

  @Override
  public void close() {
    clock.shutdownNow();
    phones.close();
  }
}
