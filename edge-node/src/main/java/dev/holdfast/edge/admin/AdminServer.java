package dev.holdfast.edge.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /admin/drain} ends the edge as SIGTERM does; {@code GET /healthz}, {@code /readyz}
 * and {@code /metrics} are the same as on the clients' port. Has no authentication: bind it to
 * loopback or to a network that only operators reach. Requests of web pages are refused, which
 * would otherwise reach a loopback port through an operator's own browser.
 */
public final class AdminServer implements AutoCloseable {
  private static final int THREADS = 2;
  private static final String JSON = "application/json";
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, AdminServer::daemon);

  /**
   * Binds; answers from {@link #start} on.
   *
   * @param port 0 picks a free one
   * @throws IllegalStateException with a sentence for the operator, when the port cannot be had
   */
  public AdminServer(String host, int port) {
    // A half-sent request must not keep others waiting, nor stay for ever.
    System.setProperty("sun.net.httpserver.maxReqTime", "5");
    try {
      this.server = HttpServer.create(new InetSocketAddress(host, port), 0);
    } catch (IOException e) {
      throw new IllegalStateException(
          "cannot listen on "
              + host
              + ":"
              + port
              + ": "
              + e.getMessage()
              + "; give another --admin-port or --admin-host",
          e);
    }
    server.setExecutor(threads);
    server.createContext("/", e -> answer(e, 404, JSON, error("there is nothing at this path")));
    page("/healthz", JSON, () -> status("ok"));
  }

  /**
   * Serves {@code GET /readyz}.
   *
   * @param ready whether the node takes traffic
   */
  public AdminServer readiness(BooleanSupplier ready) {
    return route(
        "/readyz",
        "GET",
        exchange -> {
          boolean yes = ready.getAsBoolean();
          answer(exchange, yes ? 200 : 503, JSON, status(yes ? "ok" : "not ready"));
        });
  }

  /**
   * Serves {@code POST /admin/drain}.
   *
   * @param drain begins the drain and returns; called again it changes nothing
   */
  public AdminServer drain(Runnable drain) {
    return route(
        "/admin/drain",
        "POST",
        exchange -> {
          LOG.atInfo().log("{} asks this edge to drain", exchange.getRemoteAddress());
          drain.run();
          answer(exchange, 202, JSON, status("draining"));
        });
  }

  /**
   * Serves {@code GET path}.
   *
   * @param body made anew for each request
   */
  public AdminServer page(String path, String contentType, Supplier<byte[]> body) {
    return route(path, "GET", exchange -> answer(exchange, 200, contentType, body.get()));
  }

  public AdminServer start() {
    server.start();
    return this;
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private AdminServer route(String path, String method, HttpHandler handler) {
    server.createContext(path, exchange -> handle(exchange, path, method, handler));
    return this;
  }

  private static void handle(HttpExchange exchange, String path, String method, HttpHandler handler)
      throws IOException {
    String asked = exchange.getRequestMethod();
    if (!exchange.getRequestURI().getPath().equals(path)) {
      answer(exchange, 404, JSON, error("there is nothing at this path"));
    } else if (exchange.getRequestHeaders().containsKey("Origin")) {
      answer(exchange, 403, JSON, error("web pages have no business here"));
    } else if (asked.equals(method) || (asked.equals("HEAD") && method.equals("GET"))) {
      handler.handle(exchange);
    } else {
      exchange.getResponseHeaders().set("Allow", method);
      answer(exchange, 405, JSON, error("allowed: " + method));
    }
  }

  private static void answer(HttpExchange exchange, int status, String contentType, byte[] body)
      throws IOException {
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.getResponseHeaders().set("Content-Type", contentType);
    exchange.sendResponseHeaders(status, head || body.length == 0 ? -1 : body.length);
    if (!head) {
      exchange.getResponseBody().write(body);
    }
    exchange.close();
  }

  private static byte[] status(String word) {
    return ("{\"status\":\"" + word + "\"}\n").getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] error(String sentence) {
    return ("{\"error\":\"" + sentence + "\"}\n").getBytes(StandardCharsets.US_ASCII);
  }

  private static Thread daemon(Runnable body) {
    Thread thread = new Thread(body, "holdfast-admin");
    thread.setDaemon(true);
    return thread;
  }
}
