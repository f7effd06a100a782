package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.undertow.Undertow;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class GuardedTest {
  @Test
  void aFaultIsAnsweredWithAProblemThatTellsNothing() throws Exception {
    Guarded faulty =
        new Guarded(
            exchange -> {
              throw new IllegalStateException("inner detail");
            });
    Undertow server = Undertow.builder().addHttpListener(0, "127.0.0.1", faulty).build();
    server.start();
    try {
      int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
      URI uri = URI.create("http://127.0.0.1:" + port + "/");
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(answer.body()).contains("\"internal_error\"").doesNotContain("inner detail");
    } finally {
      server.stop();
    }
  }
}
