package dev.holdfast.delivery;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.metrics.Scrape;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * {@code /healthz}: the process lives. {@code /readyz}: its tasks run; the body also tells of the
 * hot pair, which does not change the status: one that is left alone must go on. {@code /metrics}:
 * how it does.
 */
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
      server.createContext("/healthz", e -> health(e, app));
      server.createContext("/readyz", e -> ready(e, app));
      server.createContext("/metrics", e -> page(e, app.metrics()));
      ExecutorService threads = Executors.newFixedThreadPool(4, HealthServer::daemon);
      server.setExecutor(threads);
      server.start();
      return new HealthServer(server, threads);
    } catch (IOException e) {
      throw new StartRefused(
          "port " + port + " on " + host + " is taken; choose another with --port", e);
    }
  }

  private static void health(HttpExchange exchange, DeliveryApp app) throws IOException {
    boolean alive = app.alive();
    answer(exchange, alive, "{\"status\":\"" + (alive ? "alive" : "stopped") + "\"}\n");
  }

  private static void ready(HttpExchange exchange, DeliveryApp app) throws IOException {
    boolean ready = app.ready();
    String status = ready ? "ready" : "not_ready";
    answer(exchange, ready, "{\"status\":\"" + status + "\",\"pair\":\"" + app.pair() + "\"}\n");
  }

  private static void answer(HttpExchange exchange, boolean ok, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.US_ASCII);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(ok ? 200 : 503, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static void page(HttpExchange exchange, byte[] page) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", Scrape.CONTENT_TYPE);
    exchange.sendResponseHeaders(200, page.length);
    exchange.getResponseBody().write(page);
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
