package dev.holdfast.edge.socket;

import dev.holdfast.edge.auth.Origins;
import dev.holdfast.edge.page.Pages;
import dev.holdfast.edge.session.EdgeCounters;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.PathHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The paths that an edge answers, each with its handler; {@code openapi.json} describes the same
 * ones, which a test sees to.
 */
final class Routes {
  private static final String READ = "GET, HEAD";

  private final Map<String, HttpHandler> handlers = new LinkedHashMap<>();

  /**
   * @param origins whose pages may read the answers
   * @param metrics the page of {@code /metrics}; null where it is served elsewhere
   */
  Routes(
      Upgrade upgrade,
      HttpApi api,
      HistoryApi history,
      ChannelHistoryApi channels,
      Origins origins,
      @Nullable Supplier<byte[]> metrics) {
    handlers.put(Measured.SOCKET, upgrade);
    handlers.put("/v1/messages", new Cors(origins, "POST", api::publish));
    handlers.put("/v1/history", new Cors(origins, READ, history));
    handlers.put("/v1/channels/{channel}/history", new Cors(origins, READ, channels));
    handlers.put("/v1/presence/{user}", new Cors(origins, READ, api.presence()));
    handlers.put("/healthz", api::health);
    handlers.put("/readyz", api::ready);
    if (metrics != null) {
      handlers.put("/metrics", new MetricsPage(metrics));
    }
    handlers.put("/openapi.json", new OpenApi());
  }

  /** The paths. */
  Set<String> paths() {
    return handlers.keySet();
  }

  /**
   * All of them, counted; anything else is a 404, and no fault goes unanswered.
   *
   * @param pages what may be at other paths
   */
  HttpHandler handler(EdgeCounters counters, Pages pages) {
    HttpHandler others = pages == Pages.NONE ? HttpApi::notFound : new PageHandler(pages);
    PathHandler routes = new PathHandler(unknown(others, counters));
    handlers.forEach(
        (path, handler) -> {
          HttpHandler counted = new Measured(path, new Guarded(handler), counters);
          int variable = path.indexOf("/{");
          if (variable < 0) {
            routes.addExactPath(path, counted);
          } else {
            routes.addPrefixPath(path.substring(0, variable), counted);
          }
        });
    return new Decoded(routes, unknown(Decoded::refuse, counters));
  }

  private static HttpHandler unknown(HttpHandler answer, EdgeCounters counters) {
    return new Measured("unknown", new Guarded(answer), counters);
  }
}
