package dev.holdfast.standalone.pages;

import dev.holdfast.JsonIo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Prices that walk at random, written as long as some page asks for them again within its lease.
 * Each change says the how manyth of its symbol it is, so that a reader can count what it was not
 * sent.
 */
final class Market implements AutoCloseable {
  /** A page that is gone is noticed by its silence for so long. */
  static final long LEASE_MS = 30_000;

  /** Changes a second, of all symbols together. */
  static final int USUAL_RATE = 50;

  static final int MOST_RATE = 2_000;
  private static final long STEP_MS = 20;

  /** One step's share of the usual move, as a part of the price. */
  private static final double MOVE = 0.0012;

  /** Pulls a price back to where it began, so that it stays readable for hours. */
  private static final double PULL = 0.002;

  private static final double CENTS = 100;

  private final ScheduledExecutorService timer;
  private final Writer writer;
  private final LongSupplier ticker;
  private final RandomGenerator random;
  private final List<Quote> quotes = new ArrayList<>();
  private @Nullable ScheduledFuture<?> running;
  private long leaseEndsMs;
  private int rate = USUAL_RATE;
  private double owed;
  private boolean begun;
  private long written;

  /** Where a change goes; returns at once. */
  interface Writer {
    /** Writes the symbol's newest value. */
    void write(String symbol, byte[] value);
  }

  private static final class Quote {
    final String symbol;
    final double open;
    double price;
    long changes;

    Quote(String symbol, double open) {
      this.symbol = symbol;
      this.open = open;
      this.price = open;
    }
  }

  /**
   * @param ticker monotonic milliseconds
   */
  Market(
      ScheduledExecutorService timer, Writer writer, LongSupplier ticker, RandomGenerator random) {
    this.timer = timer;
    this.writer = writer;
    this.ticker = ticker;
    this.random = random;
    String[] names = {
      "ALDER", "BIRCH", "CEDAR", "EBONY", "HAZEL", "LARCH", "MAPLE", "OLIVE", "ROWAN", "TEAK",
      "WILLOW", "YEW"
    };
    for (String name : names) {
      quotes.add(new Quote(name, Math.rint((20 + random.nextDouble() * 380) * CENTS) / CENTS));
    }
  }

  /** The symbols, in order. */
  List<String> symbols() {
    return quotes.stream().map(quote -> quote.symbol).toList();
  }

  /** Begins, soon, or goes on for another lease, at so many changes a second. */
  synchronized void lease(int changesPerSecond) {
    rate = changesPerSecond;
    leaseEndsMs = ticker.getAsLong() + LEASE_MS;
    if (running == null) {
      begun = false;
      running = timer.scheduleAtFixedRate(this::step, 0, STEP_MS, TimeUnit.MILLISECONDS);
    }
  }

  synchronized boolean isRunning() {
    return running != null;
  }

  synchronized int rate() {
    return rate;
  }

  /** Changes since the start of the process. */
  synchronized long written() {
    return written;
  }

  @Override
  public synchronized void close() {
    if (running != null) {
      running.cancel(false);
      running = null;
    }
  }

  private synchronized void step() {
    if (ticker.getAsLong() >= leaseEndsMs) {
      close();
      return;
    }
    if (!begun) {
      quotes.forEach(this::write); // so that every symbol has a value at once
      begun = true;
      return;
    }
    for (owed += rate * STEP_MS / 1_000.0; owed >= 1; owed--) {
      Quote quote = quotes.get(random.nextInt(quotes.size()));
      double drift = PULL * (quote.open - quote.price) / quote.open;
      double moved = quote.price * (1 + drift + MOVE * random.nextGaussian());
      quote.price = Math.max(1, Math.rint(moved * CENTS) / CENTS);
      write(quote);
    }
  }

  private void write(Quote quote) {
    quote.changes++;
    written++;
    writer.write(
        quote.symbol,
        JsonIo.write(
            out -> {
              out.writeStartObject();
              out.writeNumberField("price", quote.price);
              out.writeNumberField("open", quote.open);
              out.writeNumberField("n", quote.changes);
              out.writeEndObject();
            }));
  }
}
