package dev.holdfast.delivery;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/** {@code /healthz}: the process lives. {@code /readyz}: its tasks run. */
final class HealthServer {
  private final HttpServer server;

  private HealthServer(HttpServer server) {
    this.server = server;
  }

  static HealthServer start(String host, int port, DeliveryApp app) {
    try {
      HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 0);
      server.createContext("/healthz", e -> answer(e, app::alive, "alive", "stopped"));
      server.createContext("/readyz", e -> answer(e, app::ready, "ready", "not ready"));
      server.start();
      return new HealthServer(server);
    } catch (IOException e) {
      throw new StartRefused(
          "port " + port + " on " + host + " is taken; choose another with --port", e);
    }
  }

  private static void answer(HttpExchange exchange, BooleanSupplier good, String yes, String no)
      throws IOException {
    boolean ok = good.getAsBoolean();
    byte[] body = ((ok ? yes : no) + '\n').getBytes(StandardCharsets.US_ASCII);
    exchange.getResponseHeaders().set("Content-Type", "text/plain");
    exchange.sendResponseHeaders(ok ? 200 : 503, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  int port() {
    return server.getAddress().getPort();
  }

  void close() {
    server.stop(0);
  }
}
