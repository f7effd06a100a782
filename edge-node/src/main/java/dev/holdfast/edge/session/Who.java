package dev.holdfast.edge.session;

import dev.holdfast.edge.auth.SessionTokens;
import dev.holdfast.frame.ClientFrame;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.Welcome;
import java.util.List;

/** Whose connection it is, from its hello on, and the events that speak of it. */
record Who(String user, String clientId, String connId, EdgeRef edge) {

  /** The key of the connection's own events. */
  List<String> key() {
    return List.of(user);
  }

  /**
   * The hello as an event. A session token of somebody else means that the cursor is not this
   * client's either, so it goes without; its own tells the epoch where hello does not.
   */
  Event connect(ClientFrame.Hello hello, SessionContext context) {
    Long lastSeq = hello.lastSeq();
    String epoch = hello.epoch();
    SessionTokens.Claim had = context.access().sessionTokens().read(hello.sessionToken());
    if (had != null && !(had.user().equals(user) && had.clientId().equals(clientId))) {
      lastSeq = null;
    } else if (had != null && epoch == null) {
      epoch = had.epoch();
    }
    return new Event.Connect(clientId, connId, edge, lastSeq, epoch, hello.attempt());
  }

  /** The answer to the hello. */
  byte[] welcome(Welcome welcome, SessionContext context) {
    String token = context.access().sessionTokens().issue(user, clientId, welcome.epoch());
    long nowMs = context.clock().millis();
    return ServerFrames.welcome(welcome, connId, edge.id(), token, context.limits(), nowMs);
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
}
