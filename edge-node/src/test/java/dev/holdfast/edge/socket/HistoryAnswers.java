package dev.holdfast.edge.socket;

import static org.awaitility.Awaitility.await;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.record.Event;
import dev.holdfast.record.HistoryPage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** Requests for a history, and a log that answers. */
final class HistoryAnswers {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private HistoryAnswers() {}

  /** The answer to {@code GET path}, to which the log gives a page of ann's. */
  static HttpResponse<String> page(TestServer server, String path) throws Exception {
    int before = server.log.events(Event.Query.class).size();
    CompletableFuture<HttpResponse<String>> answer =
        HTTP.sendAsync(request(server, path), BodyHandlers.ofString());
    await().until(() -> server.log.events(Event.Query.class).size() > before);
    HistoryPage page = new HistoryPage("e-1", 9, 3, 10);
    page.add(9, "WFbZ0jbE0iSOC01ONmNnxA", "bob", 1, RawJson.of("{}"));
    Event.Query query = server.log.events(Event.Query.class).get(before);
    server.queries.answered(query.queryId(), "ann", page.json(false).utf8());
    return answer.get();
  }

  /** The answer to who asks for {@code path} too often. */
  static HttpResponse<String> tooFast(String path) throws Exception {
    try (TestServer server = new TestServer(Limits.DEFAULT, AdmissionConfig.DEFAULT, null)) {
      server.log.full = true; // answered at once, and counted all the same
      HttpResponse<String> answer = HTTP.send(request(server, path), BodyHandlers.ofString());
      for (int i = 0; i < 50 && answer.statusCode() != 429; i++) {
        answer = HTTP.send(request(server, path), BodyHandlers.ofString());
      }
      return answer;
    }
  }

  private static HttpRequest request(TestServer server, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path)).build();
  }
}
