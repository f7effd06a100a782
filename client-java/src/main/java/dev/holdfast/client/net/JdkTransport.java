package dev.holdfast.client.net;

import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.port.Timers;
import dev.holdfast.client.port.Transport;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code java.net.http}. One of these may serve many clients. */
public final class JdkTransport implements Transport {
  /** From the question to the last byte of the answer. */
  private static final Duration HTTP_LIMIT = Duration.ofSeconds(30);

  /** A page ends after 1 MiB; one message more always fits. */
  private static final int MOST_BODY_BYTES = 8 << 20;

  private static final long MOST_RETRY_S = 86_400;

  private final HttpClient http;
  private final Timers timers;
  private final Duration limit;
  private final int mostBodyBytes;

  /** {@code timers} end a connection whose other side does not answer a close frame. */
  public JdkTransport(HttpClient http, Timers timers) {
    this(http, timers, HTTP_LIMIT, MOST_BODY_BYTES);
  }

  JdkTransport(HttpClient http, Timers timers, Duration limit, int mostBodyBytes) {
    this.http = http;
    this.timers = timers;
    this.limit = limit;
    this.mostBodyBytes = mostBodyBytes;
  }

  @Override
  public Socket connect(URI url, SocketListener listener) {
    JdkSocket socket = new JdkSocket(listener, timers);
    try {
      socket.opening(
          http.newWebSocketBuilder()
              .subprotocols("holdfast.v1")
              .connectTimeout(HTTP_LIMIT) // a handshake that was given up does not stay open
              .buildAsync(url, socket));
    } catch (IllegalArgumentException e) {
      socket.opening(CompletableFuture.failedFuture(e)); // no ws: or wss: URL
    }
    return socket;
  }

  @Override
  public CompletionStage<HttpAnswer> get(URI url, @Nullable String token) {
    HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(limit);
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    CompletableFuture<HttpResponse<String>> exchange =
        http.sendAsync(request.build(), head -> new BoundedBody(mostBodyBytes));
    // The request's own limit ends with the headers on JDK 17.
    return exchange
        .thenApply(JdkTransport::answer)
        .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((answer, error) -> exchange.cancel(true)); // or its body is read for ever
  }

  private static HttpAnswer answer(HttpResponse<String> from) {
    return new HttpAnswer(from.statusCode(), from.body(), retryAfterMs(from.headers()));
  }

  /** In seconds, as this server gives it; a date is taken for nothing. */
  static long retryAfterMs(HttpHeaders headers) {
    return headers
        .firstValue("Retry-After")
        .filter(value -> value.matches("\\d{1,9}"))
        .map(value -> Math.min(MOST_RETRY_S, Long.parseLong(value)) * 1000)
        .orElse(-1L);
  }
}
