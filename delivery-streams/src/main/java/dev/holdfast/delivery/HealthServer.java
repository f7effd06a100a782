package dev.holdfast.delivery;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/** {@code /healthz}: the process lives. {@code /readyz}: its tasks run. */
final class HealthServer {
  private final HttpServer server;
  private final ExecutorService threads;

  private HealthServer(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  private static Thread daemon(Runnable body) {
    Thread thread = new Thread(body, "holdfast-health");
    thread.setDaemon(true);
    return thread;
  }

  static HealthServer start(String host, int port, DeliveryApp app) {
    try {
      // A half-sent request must not keep others waiting, nor stay for ever.
      System.setProperty("sun.net.httpserver.maxReqTime", "5");
      HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 0);
      server.createContext("/healthz", e -> answer(e, app::alive, "alive", "stopped"));
      server.createContext("/readyz", e -> answer(e, app::ready, "ready", "not ready"));
      ExecutorService threads = Executors.newFixedThreadPool(4, HealthServer::daemon);
      server.setExecutor(threads);
      server.start();
      return new HealthServer(server, threads);
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
    threads.shutdownNow();
  }
}
