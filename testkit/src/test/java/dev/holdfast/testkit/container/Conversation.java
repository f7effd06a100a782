package dev.holdfast.testkit.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.testkit.process.EdgeClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Alice on one edge writes to Bob on the other; connections are cut and come back elsewhere, and
 * after each step Bob must have exactly the next seqs, each once, in order.
 */
final class Conversation implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration QUIET = Duration.ofMillis(300);

  private final URI first;
  private final URI second;
  private final String alice;
  private final String bob;
  private EdgeClient sender;
  private EdgeClient receiver;
  private String epoch = "";
  private long attempt;
  private long lastSeq;
  private int sends;
  private String lastMsgId = "";

  /** A step that disturbs the pipeline. */
  interface Disturbance {
    void happen() throws Exception;
  }

  /**
   * Connects both.
   *
   * @param run makes the users' names new, so that old mailboxes do not matter
   */
  Conversation(URI first, URI second, String run) throws InterruptedException {
    this.first = first;
    this.second = second;
    this.alice = "alice-" + run;
    this.bob = "bob-" + run;
    this.sender = EdgeClient.welcomed(first, Map.of("clientId", alice));
    this.receiver = EdgeClient.connect(second);
    JsonNode welcome = hello(receiver, null);
    check(!welcome.path("resumed").asBoolean(), "a client without a cursor resumes nothing");
    check(welcome.path("reason").asText().equals("new"), "the reason is new: " + welcome);
  }

  /** Everything that needs no disturbance from outside. */
  void talk() throws Exception {
    long tookMs = deliver(3);
    say("3 messages through the other edge in " + tookMs + " ms");
    resumeOn(first, 5);
    say("5 missed messages after a resume on the other edge");
    repeat();
    say("a repeated clientMsgId got the same msgId and delivered nothing");
    publish();
    say("a message over HTTP");
  }

  /** Disturbs, then sends on and resumes again. */
  void survive(String what, Disturbance disturbance) throws Exception {
    disturbance.happen();
    say("3 messages after: " + what + "; all there " + deliver(3) + " ms later");
    resumeOn(second, 2);
    say("2 missed messages after a resume");
  }

  /** Sends {@code count} messages and sees them arrive; returns how many milliseconds that took. */
  private long deliver(int count) throws InterruptedException {
    long begun = System.nanoTime();
    receive(send(count));
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    nothingMore();
    receiver.ack(lastSeq);
    return tookMs;
  }

  private void resumeOn(URI edge, int missed) throws Exception {
    receiver.abort();
    List<String> msgIds = send(missed);
    receiver = EdgeClient.connect(edge);
    JsonNode welcome = hello(receiver, lastSeq);
    check(welcome.path("resumed").asBoolean(), "resumed: " + welcome);
    receive(msgIds);
    JsonNode sync = receiver.await("sync", PATIENCE);
    check(sync.path("cursor").asLong() <= lastSeq, "sync is not ahead of the messages: " + sync);
    nothingMore();
    receiver.ack(lastSeq);
  }

  /** The same send again, on the same connection and on a newer one at the other edge. */
  private void repeat() throws Exception {
    again(sender);
    EdgeClient old = sender;
    sender = EdgeClient.welcomed(second, Map.of("clientId", alice));
    again(sender);
    EdgeClient.Closed closed = old.awaitClosed(PATIENCE);
    check(closed.code() == CloseCode.REPLACED.code(), "the older connection replaced: " + closed);
    nothingMore();
  }

  private void again(EdgeClient client) throws InterruptedException {
    client.sendTo(bob, "m" + sends, Map.of("n", sends));
    String msgId = client.await("sent", PATIENCE).path("msgId").asText();
    check(msgId.equals(lastMsgId), "msgId " + lastMsgId + ", not " + msgId);
  }

  private void publish() throws Exception {
    URI messages = URI.create("http://" + first.getHost() + ":" + first.getPort() + "/v1/messages");
    HttpRequest request =
        HttpRequest.newBuilder(messages)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "order-1")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"to\":{\"user\":\"" + bob + "\"},\"payload\":{\"order\":1}}"))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    check(answer.statusCode() == 202, "202: " + answer.statusCode() + " " + answer.body());
    JsonNode message = receiver.await("message", PATIENCE);
    check(message.path("seq").asLong() == ++lastSeq, "seq " + lastSeq + ": " + message);
    receiver.ack(lastSeq);
  }

  private JsonNode hello(EdgeClient client, @Nullable Long cursor) throws InterruptedException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("clientId", bob);
    fields.put("attempt", ++attempt);
    if (cursor != null) {
      fields.put("lastSeq", cursor);
      fields.put("epoch", epoch);
    }
    client.hello(fields);
    JsonNode welcome = client.await("welcome", PATIENCE);
    epoch = welcome.path("epoch").asText();
    return welcome;
  }

  private List<String> send(int count) throws InterruptedException {
    List<String> msgIds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sends++;
      sender.sendTo(bob, "m" + sends, Map.of("n", sends));
      JsonNode sent = sender.await("sent", PATIENCE);
      check(sent.path("clientMsgId").asText().equals("m" + sends), "sent in order: " + sent);
      lastMsgId = sent.path("msgId").asText();
      msgIds.add(lastMsgId);
    }
    return msgIds;
  }

  private void receive(List<String> msgIds) throws InterruptedException {
    for (String msgId : msgIds) {
      JsonNode message = receiver.await("message", PATIENCE);
      lastSeq++;
      check(message.path("seq").asLong() == lastSeq, "seq " + lastSeq + ": " + message);
      check(message.path("msgId").asText().equals(msgId), "msgId " + msgId + ": " + message);
      check(message.path("from").asText().equals(alice), "from " + alice + ": " + message);
    }
  }

  private void nothingMore() throws InterruptedException {
    Thread.sleep(QUIET.toMillis());
    for (JsonNode frame : receiver.pending()) {
      check(!frame.path("type").asText().equals("message"), "nothing more: " + frame);
    }
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError("expected " + what);
    }
  }

  private static void say(String what) {
    System.out.println("ok: " + what);
  }

  @Override
  public void close() {
    sender.close();
    receiver.close();
  }
}
