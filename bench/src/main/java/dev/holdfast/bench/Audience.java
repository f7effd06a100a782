package dev.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Thousands of subscribers on one thread of its own, with little more than a socket each. Frames
 * are told apart by one byte and counted; of one event in {@link #SAMPLE} the latency is taken,
 * from the moment it was due. Methods may be called from any thread.
 */
final class Audience implements AutoCloseable, RawClient.Frames {
  /** One event in so many is measured; a prime, so that it is not always the same clients. */
  static final int SAMPLE = 17;

  private static final int BUFFER_BYTES = 512 * 1024;
  private static final long LONGEST_WAIT_MS = 20;

  /** Where a frame says its type: behind <code>{"type":"</code>. */
  private static final int TYPE_AT = 9;

  private final InetSocketAddress edge;
  private final int payloadBytes;
  private final int mostAwaiting;
  private final boolean keepPositions;
  private final Selector selector;
  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Arrivals toOpen = new Arrivals();
  private final Set<RawClient> open = new LinkedHashSet<>();
  private final List<Listener> over = new ArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final Figures latency = new Figures();
  private final Figures caughtUp = new Figures();
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong subscribed = new AtomicLong();
  private final AtomicLong recovered = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong busy = new AtomicLong();
  private volatile long lastEventNanos;
  private volatile long beganNanos;
  private volatile boolean closing;
  private volatile @Nullable String trouble;
  private volatile String ending = "";
  private int awaiting;
  private int sample;
  private long seen;

  /**
   * @param payloadBytes of each event, see {@link ChannelSource}
   * @param mostAwaiting connections that may be on their way at once
   * @param keepPositions whether each remembers where it stands; costs more
   */
  Audience(InetSocketAddress edge, int payloadBytes, int mostAwaiting, boolean keepPositions)
      throws IOException {
    this.edge = edge;
    this.payloadBytes = payloadBytes;
    this.mostAwaiting = mostAwaiting;
    this.keepPositions = keepPositions;
    this.selector = Selector.open();
    this.thread = new Thread(this::run, "audience");
    this.thread.setDaemon(true);
    this.thread.start();
  }

  /** Opens a connection for each as fast as it goes; {@link #caughtUp} counts from here. */
  void open(List<Listener.Wish> wishes) {
    open(wishes, 0);
  }

  /** The same, at most so many a second; 0: as fast as it goes. */
  void open(List<Listener.Wish> wishes, int perSecond) {
    beganNanos = System.nanoTime();
    tasks.add(() -> toOpen.add(wishes, perSecond));
    selector.wakeup();
  }

  /** Opens those again that the edge has ended, as new ones. */
  void reopen() {
    tasks.add(
        () -> {
          toOpen.add(over.stream().map(one -> one.wish).toList(), 0);
          over.clear();
        });
    selector.wakeup();
  }

  /** Cuts all connections; returns what each would say to go on where it was. */
  List<Listener.Wish> cut(int missed) {
    CompletableFuture<List<Listener.Wish>> where = new CompletableFuture<>();
    tasks.add(() -> where.complete(cutAll(missed)));
    selector.wakeup();
    return where.join();
  }

  private List<Listener.Wish> cutAll(int missed) {
    List<Listener.Wish> where = new ArrayList<>();
    for (RawClient client : open) {
      client.cut();
      where.add(client.whose().again(missed));
    }
    open.clear();
    subscribed.set(0);
    recovered.set(0);
    return where;
  }

  /** Waits until it is so; fails with what went wrong, or after the time. */
  void await(String what, int seconds, BooleanSupplier so) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!so.getAsBoolean()) {
      String wrong = trouble;
      if (wrong != null || System.nanoTime() > until) {
        throw new IllegalStateException("not " + what + ": " + text() + " " + wrong);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Events that came. */
  long events() {
    return events.get();
  }

  /** When the newest of them came, in {@link System#nanoTime}. */
  long lastEventNanos() {
    return lastEventNanos;
  }

  /** Connections whose channel is subscribed. */
  long subscribed() {
    return subscribed.get();
  }

  /** Connections that the edge ended. */
  long ended() {
    return ended.get();
  }

  /** From due to received, of the events that were measured. */
  Figures latency() {
    return latency;
  }

  /** From {@link #open} until a connection had all that it missed. */
  Figures caughtUp() {
    return caughtUp;
  }

  /** Seconds of CPU of the receiving thread. */
  double cpuSeconds() {
    return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()) / 1e9;
  }

  String text() {
    return subscribed
        + " subscribed ("
        + recovered
        + " recovered), "
        + ended
        + " ended "
        + ending
        + ", "
        + refused
        + " refused, "
        + busy
        + " told to come again, "
        + events
        + " events";
  }

  private void run() {
    try {
      while (!closing) {
        Runnable task = tasks.poll();
        if (task != null) {
          task.run();
        }
        Listener next = awaiting < mostAwaiting ? toOpen.next() : null;
        while (next != null) {
          begin(next);
          next = awaiting < mostAwaiting ? toOpen.next() : null;
        }
        int unused = selector.select(this::ready, toOpen.waitMs(LONGEST_WAIT_MS));
        publish();
      }
      open.forEach(RawClient::cut);
      selector.close();
    } catch (IOException | RuntimeException e) {
      trouble = e.toString();
    }
  }

  private void publish() {
    if (seen > 0) {
      events.addAndGet(seen);
      lastEventNanos = System.nanoTime();
      seen = 0;
    }
  }

  private void begin(Listener one) throws IOException {
    RawClient client = new RawClient(edge, one);
    var unused = client.channel().register(selector, SelectionKey.OP_READ, client);
    open.add(client);
    awaiting++;
  }

  private void ready(SelectionKey key) {
    RawClient client = (RawClient) key.attachment();
    Listener one = client.whose();
    try {
      if (!client.read(buffer, this)) {
        key.cancel();
        open.remove(client);
        if (client.retryAfterS() > 0) {
          awaiting--;
          busy.incrementAndGet();
          toOpen.addLater(one, client.retryAfterS());
          return;
        }
        over.add(one);
        ending = client.ending();
        ended.incrementAndGet();
        if (one.subscribed) {
          subscribed.decrementAndGet();
        } else {
          awaiting--;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void frame(RawClient client, ByteBuffer in, int at, int length) {
    Listener one = client.whose();
    if (length < TYPE_AT + 3) {
      return;
    }
    byte first = in.get(at + TYPE_AT);
    byte second = in.get(at + TYPE_AT + 1);
    if (first == 'e' && second == 'v') {
      event(one, in, at, length);
    } else if (first == 's' && second == 'u') {
      subscribed(one, RawClient.text(in, at, length));
    } else if (first == 'e') {
      refused.incrementAndGet();
      trouble = RawClient.text(in, at, length);
    } else if (first == 'p' && keepPositions) {
      one.stands(RawClient.text(in, at, length));
    }
  }

  private void event(Listener one, ByteBuffer in, int at, int length) {
    seen++;
    one.events++;
    if (++sample == SAMPLE) {
      sample = 0;
      latency.since(ChannelSource.due(in, at + length - 1 - payloadBytes));
    }
    if (keepPositions) {
      one.stands(RawClient.text(in, at, length));
    }
    if (one.events == one.wish.missed()) {
      caughtUp.since(beganNanos);
    }
  }

  private void subscribed(Listener one, String frame) {
    if (!one.subscribed) {
      one.subscribed = true;
      awaiting--;
      subscribed.incrementAndGet();
    }
    if (frame.contains("\"recovered\":true")) {
      recovered.incrementAndGet();
    }
    one.stands(frame);
  }

  @Override
  public void close() {
    closing = true;
    selector.wakeup();
    try {
      thread.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
