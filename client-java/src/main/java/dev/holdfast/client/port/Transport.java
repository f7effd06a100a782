package dev.holdfast.client.port;

import java.net.URI;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Makes connections, and asks over HTTP. */
public interface Transport {
  /**
   * Starts to connect, offering the subprotocol {@code holdfast.v1}; the listener is told how it
   * goes on, not before this has returned.
   */
  Socket connect(URI url, SocketListener listener);

  /** The answer to a GET, of whatever status; fails when none came within 30 s. */
  CompletionStage<HttpAnswer> get(URI url, @Nullable String token);
}
