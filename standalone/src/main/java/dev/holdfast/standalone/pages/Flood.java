package dev.holdfast.standalone.pages;

import dev.holdfast.JsonIo;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Many messages to one user or channel, as a backend sends them: over HTTP, in batches, to
 * whichever edge is up. One at a time.
 */
final class Flood implements AutoCloseable {
  /** Most messages of one flood. */
  static final int MOST = 5_000;

  /** Most a second. */
  static final int MOST_RATE = 1_000;

  private static final long STEP_MS = 50;
  private static final int BATCH = 100;
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final ScheduledExecutorService timer;
  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
  private final Supplier<@Nullable String> edge;
  private @Nullable Run run;

  /** One flood; the numbers are of messages. */
  private static final class Run {
    final @Nullable String user;
    final @Nullable String channel;
    final int n;
    final int perSecond;
    final AtomicInteger accepted = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    int sent;
    long ticks;
    volatile boolean waiting;
    volatile @Nullable String trouble;
    @Nullable ScheduledFuture<?> steps;

    Run(@Nullable String user, @Nullable String channel, int n, int perSecond) {
      this.user = user;
      this.channel = channel;
      this.n = n;
      this.perSecond = perSecond;
    }
  }

  /**
   * How the newest flood goes.
   *
   * @param trouble what was refused last; null: nothing was
   */
  record View(
      boolean running, int n, int sent, int accepted, int refused, @Nullable String trouble) {}

  /**
   * @param edge where an edge answers now; null: none is up
   */
  Flood(ScheduledExecutorService timer, Supplier<@Nullable String> edge) {
    this.timer = timer;
    this.edge = edge;
  }

  /**
   * Begins, to a user or a channel.
   *
   * @return false when one is under way
   */
  synchronized boolean start(
      @Nullable String user, @Nullable String channel, int n, int perSecond) {
    if (run != null && run.steps != null) {
      return false;
    }
    Run next = new Run(user, channel, n, perSecond);
    run = next;
    next.steps = timer.scheduleAtFixedRate(() -> step(next), 0, STEP_MS, TimeUnit.MILLISECONDS);
    return true;
  }

  /** The newest; null: there was none. */
  synchronized @Nullable View view() {
    Run last = run;
    return last == null
        ? null
        : new View(
            last.steps != null,
            last.n,
            last.sent,
            last.accepted.get(),
            last.refused.get(),
            last.trouble);
  }

  @Override
  public synchronized void close() {
    if (run != null) {
      end(run);
    }
  }

  /** One batch at a time is under way, so that they arrive in order. */
  private synchronized void step(Run flood) {
    flood.ticks++;
    long allowed = flood.ticks * flood.perSecond * STEP_MS / 1_000 + 1;
    int due = (int) Math.min(Math.min(flood.n, allowed) - flood.sent, BATCH);
    String to = edge.get();
    if (to == null) {
      flood.trouble = "no edge is up";
    } else if (due > 0 && !flood.waiting) {
      send(flood, to, due);
    }
    if (flood.sent >= flood.n) {
      end(flood);
    }
  }

  private void send(Run flood, String to, int count) {
    int from = flood.sent + 1;
    flood.sent += count;
    flood.waiting = true;
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(to + "/v1/messages"))
            .header("Content-Type", "application/json")
            .timeout(ANSWER)
            .POST(BodyPublishers.ofByteArray(batch(flood, from, count)))
            .build();
    var unused =
        http.sendAsync(request, BodyHandlers.ofString())
            .whenComplete((answer, failure) -> answered(flood, count, answer, failure));
  }

  private static void answered(
      Run flood, int count, @Nullable HttpResponse<String> answer, @Nullable Throwable failure) {
    if (answer != null && answer.statusCode() == 202) {
      flood.accepted.addAndGet(count);
    } else {
      flood.refused.addAndGet(count);
      flood.trouble =
          answer == null ? String.valueOf(failure) : "an edge answered " + answer.statusCode();
    }
    flood.waiting = false;
  }

  private static byte[] batch(Run flood, int from, int count) {
    return JsonIo.write(
        out -> {
          out.writeStartObject();
          out.writeArrayFieldStart("messages");
          for (int i = from; i < from + count; i++) {
            out.writeStartObject();
            if (flood.channel != null) {
              out.writeStringField("channel", flood.channel);
            } else {
              out.writeObjectFieldStart("to");
              out.writeStringField("user", flood.user);
              out.writeEndObject();
            }
            out.writeStringField("from", "flood");
            out.writeObjectFieldStart("payload");
            out.writeStringField("kind", "flood");
            out.writeNumberField("n", i);
            out.writeNumberField("of", flood.n);
            out.writeEndObject();
            out.writeEndObject();
          }
          out.writeEndArray();
          out.writeEndObject();
        });
  }

  private static void end(Run flood) {
    if (flood.steps != null) {
      flood.steps.cancel(false);
      flood.steps = null;
    }
  }
}
