package dev.holdfast.standalone;

import dev.holdfast.edge.EdgeConfig;
import dev.holdfast.standalone.pages.DevPages;
import dev.holdfast.standalone.pages.EdgeBoard;
import dev.holdfast.standalone.relay.Links;
import dev.holdfast.standalone.relay.Relay;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The edges of {@code dev}, with their relays and the pages that they serve. */
final class DevEdges implements EdgeBoard {
  private final List<DevEdge> edges = new ArrayList<>();
  private final List<@Nullable Relay> relays = new ArrayList<>();
  private final DevPages pages;

  /** Made, their ends registered; none is started yet. */
  DevEdges(List<EdgeConfig> configs, Processes processes) {
    Links links = new Links();
    boolean tokens = configs.get(0).auth().jwt() != null;
    pages = new DevPages(this, links, tokens);
    processes.onEnd("pages", pages);
    for (int i = 0; i < configs.size(); i++) {
      EdgeConfig config = configs.get(i);
      int place = i;
      // What is encrypted cannot be read, so there would be no tags.
      Relay relay =
          config.tls() == null
              ? new Relay(config.edgeId(), links, () -> edges.get(place).port())
              : null;
      if (relay != null) {
        processes.onEnd("relay of " + config.edgeId(), relay);
      }
      relays.add(relay);
    }
    for (EdgeConfig config : configs) {
      edges.add(new DevEdge(config, pages, processes));
    }
  }

  List<DevEdge> all() {
    return edges;
  }

  DevPages pages() {
    return pages;
  }

  @Override
  public List<View> edges() {
    List<View> views = new ArrayList<>();
    for (int i = 0; i < edges.size(); i++) {
      DevEdge edge = edges.get(i);
      Relay relay = relays.get(i);
      String ws = EdgeCommand.url(edge.config(), edge.port());
      views.add(
          new View(
              edge.config().edgeId(),
              edge.isUp(),
              http(edge),
              ws,
              relay == null ? null : "ws://127.0.0.1:" + relay.port() + "/v1/ws"));
    }
    return views;
  }

  @Override
  public Kill kill(String id) {
    return edges.stream()
        .filter(edge -> edge.config().edgeId().equals(id))
        .findFirst()
        .map(DevEdge::kill)
        .orElse(Kill.UNKNOWN);
  }

  /** Where an edge answers over HTTP, and its pages are. */
  static String http(DevEdge edge) {
    String scheme = edge.config().tls() == null ? "http://" : "https://";
    return scheme + edge.config().host() + ":" + edge.port();
  }
}
