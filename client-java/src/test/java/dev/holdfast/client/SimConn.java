package dev.holdfast.client;

import org.jspecify.annotations.Nullable;

/** The welcomed connection. */
final class SimConn {
  /** The server's side of it; it never sees what the network has lost. */
  interface Peer {
    void frame(String text);

    void close(int code, String reason);
  }

  final Peer peer;
  final String token;
  final String clientId;
  long sent;
  long acked;
  int window = 4;
  boolean synced;
  boolean subscribed;
  long eventsSent;
  @Nullable String blockedOn;

  SimConn(Peer peer, String token, String clientId) {
    this.peer = peer;
    this.clientId = clientId;
    this.token = token;
  }
}
