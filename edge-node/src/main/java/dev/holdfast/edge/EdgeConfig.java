package dev.holdfast.edge;

import dev.holdfast.Limits;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespaces;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.channel.EdgeChannels;
import dev.holdfast.edge.drain.DrainConfig;
import dev.holdfast.edge.presence.PresenceConfig;
import dev.holdfast.edge.tls.TlsFiles;
import dev.holdfast.id.Names;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one edge node runs.
 *
 * @param bootstrap Kafka's {@code bootstrap.servers}
 * @param host address to bind to
 * @param port port of WebSocket and HTTP; 0 picks a free one
 * @param edgeId the edge's name, kept over restarts; also decides its partition of {@code
 *     holdfast.deliveries} (D7)
 * @param limits what the edge bounds
 * @param kafka further Kafka client properties, which win over the defaults
 * @param auth who may come in
 * @param drain how the edge ends
 * @param admission how many are let in, and how fast
 * @param tls certificate and key, or null for plain HTTP
 * @param namespaces the topics that are channels
 * @param channelBytes estimated bytes that may be kept in memory of all channels' topics
 * @param presence what is bounded of presence
 */
public record EdgeConfig(
    String bootstrap,
    String host,
    int port,
    String edgeId,
    Limits limits,
    Map<String, String> kafka,
    AuthConfig auth,
    DrainConfig drain,
    AdmissionConfig admission,
    @Nullable TlsFiles tls,
    Namespaces namespaces,
    long channelBytes,
    PresenceConfig presence) {

  public EdgeConfig {
    if (!Names.valid(edgeId)) {
      throw new IllegalArgumentException(
          "edge id must be 1-128 characters of [A-Za-z0-9._~@:-], not '" + edgeId + "'");
    }
    if (auth.jwt() == null) {
      for (Namespace one : namespaces.all()) {
        if (!one.open()) {
          throw new IllegalArgumentException(
              "namespace "
                  + one.prefix()
                  + " is private, and authentication is off: anybody could read it. Turn"
                  + " authentication on (--auth jwt), or leave private out");
        }
      }
    }
    kafka = Map.copyOf(kafka);
  }

  /** The same on another port. */
  public EdgeConfig withPort(int other) {
    return new EdgeConfig(
        bootstrap,
        host,
        other,
        edgeId,
        limits,
        kafka,
        auth,
        drain,
        admission,
        tls,
        namespaces,
        channelBytes,
        presence);
  }

  /** With authentication off, an end at once, no limits on who comes, no TLS and no channels. */
  public EdgeConfig(
      String bootstrap,
      String host,
      int port,
      String edgeId,
      Limits limits,
      Map<String, String> kafka) {
    this(
        bootstrap,
        host,
        port,
        edgeId,
        limits,
        kafka,
        AuthConfig.OFF,
        DrainConfig.AT_ONCE,
        AdmissionConfig.OPEN,
        null,
        Namespaces.NONE,
        EdgeChannels.KEPT_BYTES,
        PresenceConfig.DEFAULT);
  }
}
