package dev.holdfast.edge.session;

import dev.holdfast.Limits;
import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.Welcome;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Whose connection it is, from its hello on, and the events that speak of it. */
record Who(String user, String clientId, String connId, EdgeRef edge) {

  /** With authentication off: the user that hello names, or else the client itself. */
  static Who of(ClientFrame.Hello hello, String connId, EdgeRef edge) {
    String named = hello.user();
    return new Who(named == null ? hello.clientId() : named, hello.clientId(), connId, edge);
  }

  /** The key of the connection's own events. */
  List<String> key() {
    return List.of(user);
  }

  Event connect(ClientFrame.Hello hello) {
    return new Event.Connect(
        clientId, connId, edge, hello.lastSeq(), hello.epoch(), hello.attempt());
  }

  /** The answer to the hello. */
  byte[] welcome(Welcome welcome, Limits limits, long nowMs) {
    String token = sessionToken(welcome.epoch());
    return ServerFrames.welcome(welcome, connId, edge.id(), token, limits, nowMs);
  }

  Event disconnect(String reason) {
    return new Event.Disconnect(clientId, connId, edge, reason);
  }

  Event ack(long seq) {
    return new Event.Ack(clientId, connId, edge, seq);
  }

  Event resync(long from, boolean synced) {
    return new Event.Resync(clientId, connId, edge, from, synced);
  }

  /** Opaque to the client, unsigned while authentication is off. */
  String sessionToken(String epoch) {
    String text = user + '/' + clientId + '/' + epoch;
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
