package dev.holdfast.testkit.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Asks a process over HTTP. */
final class Web {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private Web() {}

  static HttpResponse<String> get(String url) throws InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(url)));
  }

  static HttpResponse<String> post(String url, String json) throws InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json)));
  }

  /** The status of {@code GET url}; 0 when nobody answers. */
  static int status(String url) throws InterruptedException {
    try {
      return get(url).statusCode();
    } catch (UncheckedIOException e) {
      return 0;
    }
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws InterruptedException {
    try {
      return HTTP.send(request.timeout(Duration.ofSeconds(10)).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
