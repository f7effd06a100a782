package dev.holdfast.testkit.it;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.testkit.process.EdgeClient;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A client that may miss more than a resume replays. Live messages come over its socket, on a
 * thread of its own, from one edge after the other; what a welcome says it lacks is read from
 * history. It writes each seq down with where it came from.
 */
final class FarBehind implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration A_LITTLE = Duration.ofMillis(200);

  /** What a welcome left out: the seqs above {@code after} up to {@code to}. */
  record Gap(long after, long to, String epoch) {}

  private final String user;
  private final List<URI> edges;
  private final LinkedBlockingQueue<Gap> gaps = new LinkedBlockingQueue<>();
  private final NavigableMap<Long, String> seen = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "far-behind");
  private long cursor;
  private @Nullable String epoch;
  private int welcomes;
  private volatile boolean stopped;

  /**
   * @param cursor the newest seq that it has
   */
  FarBehind(String user, long cursor, List<URI> edges) {
    this.user = user;
    this.cursor = cursor;
    this.edges = List.copyOf(edges);
  }

  FarBehind start() {
    thread.start();
    return this;
  }

  /** The next gap that a welcome told. */
  Gap gap() throws InterruptedException {
    Gap gap = gaps.poll(30, TimeUnit.SECONDS);
    if (gap == null) {
      throw new AssertionError("no gap was told; live up to " + live());
    }
    return gap;
  }

  boolean hasGap() {
    return !gaps.isEmpty();
  }

  synchronized long live() {
    return cursor;
  }

  synchronized int welcomes() {
    return welcomes;
  }

  /** Each seq with its payload, once. */
  synchronized NavigableMap<Long, String> seen() {
    return new TreeMap<>(seen);
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  private void run() {
    for (int i = 0; !stopped; i++) {
      try (EdgeClient client = EdgeClient.connect(edges.get(i % edges.size()))) {
        client.hello(hello());
        welcome(client.await("welcome", Duration.ofSeconds(15)));
        while (!stopped && !client.closed().isDone()) {
          live(client);
        }
      } catch (IllegalStateException | AssertionError e) {
        // The edge is away, or closed the connection: the next one then.
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void live(EdgeClient client) throws InterruptedException {
    JsonNode frame;
    try {
      frame = client.await("message", A_LITTLE);
    } catch (AssertionError e) {
      return; // none just now
    }
    message(frame, "live");
    client.ack(frame.path("seq").asLong());
  }

  private synchronized Map<String, Object> hello() {
    Map<String, Object> hello = new HashMap<>();
    hello.put("clientId", user + "-phone");
    hello.put("user", user);
    hello.put("lastSeq", cursor);
    if (epoch != null) {
      hello.put("epoch", epoch);
    }
    return hello;
  }

  private synchronized void welcome(JsonNode welcome) {
    welcomes++;
    epoch = welcome.path("epoch").asText();
    if (!welcome.path("resumed").asBoolean()) {
      long seq = welcome.path("seq").asLong();
      if (welcome.path("unread").asLong() != seq - cursor) {
        violations.add("unread is wrong, the client has " + cursor + ": " + welcome);
      }
      gaps.add(new Gap(cursor, seq, epoch));
      cursor = seq;
    }
  }

  private synchronized void message(JsonNode message, String from) {
    long seq = message.path("seq").asLong();
    if (from.equals("live")) {
      if (seq != cursor + 1) {
        violations.add("live " + seq + " after " + cursor);
      }
      cursor = seq;
    }
    String before = seen.put(seq, message.path("payload").asText());
    if (before != null) {
      violations.add(seq + " came again, " + from);
    }
  }

  /**
   * Reads a gap by pages, from the first edge that answers.
   *
   * @param http {@code http://host:port} of the edges, the favourite first
   * @param afterPage told the number of each page, from 1, before the next is asked for
   */
  void read(Gap gap, int limit, List<String> http, IntConsumer afterPage)
      throws InterruptedException {
    long after = gap.after();
    int edge = 0;
    for (int page = 1; after < gap.to(); ) {
      String query =
          "/v1/history?user="
              + user
              + "&after="
              + after
              + "&limit="
              + limit
              + "&epoch="
              + gap.epoch();
      HttpResponse<String> answer = ask(http.get(edge % http.size()) + query);
      if (answer == null || answer.statusCode() == 503) {
        edge++; // another one; and not at once, or it would be asked in vain a thousand times
        TimeUnit.MILLISECONDS.sleep(200);
        continue;
      }
      after = take(answer, after, gap.to());
      afterPage.accept(page++);
    }
  }

  private long take(HttpResponse<String> answer, long after, long to) {
    if (answer.statusCode() != 200) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
    long last = after;
    try {
      for (JsonNode message : JSON.readTree(answer.body()).path("messages")) {
        long seq = message.path("seq").asLong();
        if (seq != last + 1) {
          throw new AssertionError("history has " + seq + " behind " + last);
        }
        last = seq;
        if (seq <= to) {
          message(message, "history");
        }
      }
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + answer.body(), e);
    }
    if (last == after) {
      throw new AssertionError("nothing behind " + after + ": " + answer.body());
    }
    return last;
  }

  private static @Nullable HttpResponse<String> ask(String url) throws InterruptedException {
    try {
      return Web.get(url);
    } catch (UncheckedIOException e) {
      return null; // nobody is there, or it was killed before it answered
    }
  }

  @Override
  public void close() {
    stopped = true;
    thread.interrupt();
  }
}
