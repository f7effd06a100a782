package dev.holdfast.client;

import org.jspecify.annotations.Nullable;

/** The welcomed connection. */
final class SimConn {
  final SimServer.Peer peer;
  final String token;
  final String clientId;
  long sent;
  long acked;
  int window = 4;
  boolean synced;
  boolean subscribed;
  long eventsSent;
  @Nullable String blockedOn;

  SimConn(SimServer.Peer peer, String token, String clientId) {
    this.peer = peer;
    this.clientId = clientId;
    this.token = token;
  }
}
