package dev.holdfast.standalone.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MarketTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private record Change(String symbol, JsonNode value) {}

  /** Runs the market's step when the test lets time pass, on the test's own thread. */
  private static final class ByHand extends ScheduledThreadPoolExecutor {
    private Runnable step = () -> {};
    private long periodMs;

    ByHand() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable command, long initialDelay, long period, TimeUnit unit) {
      step = command;
      periodMs = unit.toMillis(period);
      return super.schedule(() -> {}, 1, TimeUnit.DAYS);
    }
  }

  private final AtomicLong nowMs = new AtomicLong();
  private final List<Change> changes = new ArrayList<>();
  private final ByHand timer = new ByHand();
  private final Market market = market(changes);

  private Market market(List<Change> to) {
    return new Market(
        timer, (symbol, value) -> to.add(change(symbol, value)), nowMs::get, new Random(1));
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private static Change change(String symbol, byte[] value) {
    try {
      return new Change(symbol, JSON.readTree(value));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void pass(long ms) {
    for (long end = nowMs.get() + ms; nowMs.get() < end; ) {
      nowMs.addAndGet(timer.periodMs);
      timer.step.run();
    }
  }

  @Test
  @DisplayName(
      "every symbol has a value at once, then so many change in a second, counted without a gap")
  void rate() {
    market.lease(50);
    timer.step.run();
    assertThat(changes).extracting(Change::symbol).containsExactlyElementsOf(market.symbols());
    pass(10_000);
    assertThat(changes.size() - 12).isEqualTo(500);
    Map<String, Long> last = new HashMap<>();
    for (Change one : changes) {
      long n = one.value().path("n").asLong();
      assertThat(n).isEqualTo(last.getOrDefault(one.symbol(), 0L) + 1);
      last.put(one.symbol(), n);
    }
    assertThat(market.written()).isEqualTo(512);
  }

  @Test
  @DisplayName("a lease that nobody renews ends it; a renewed one goes on, at its rate")
  void lease() {
    market.lease(50);
    pass(Market.LEASE_MS - 1_000);
    market.lease(500);
    int before = changes.size();
    pass(1_000);
    assertThat(changes.size() - before).isEqualTo(500);
    assertThat(market.isRunning()).isTrue();
    pass(Market.LEASE_MS);
    assertThat(market.isRunning()).isFalse();
    int ended = changes.size();
    pass(1_000);
    assertThat(changes).hasSize(ended);
    market.lease(50);
    assertThat(market.isRunning()).isTrue();
  }

  @Test
  @DisplayName("prices stay near where they began, for an hour, and the walk is the same each time")
  void walk() {
    market.lease(50);
    for (int i = 0; i < 180; i++) {
      pass(20_000);
      market.lease(50);
    }
    for (Change one : changes) {
      double open = one.value().path("open").asDouble();
      assertThat(one.value().path("price").asDouble()).isCloseTo(open, within(open / 2));
    }
    List<Change> again = new ArrayList<>();
    market(again).lease(50);
    timer.step.run();
    assertThat(again).isEqualTo(changes.subList(0, 12));
  }
}
