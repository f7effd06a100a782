package dev.holdfast.edge.session;

import dev.holdfast.edge.admission.ConnectionGuard;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.frame.CloseCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The connections of this edge, by connection id, from the upgrade until the socket is gone. */
public final class Sessions {
  private final Map<String, Session> byConnId = new ConcurrentHashMap<>();
  private final AtomicInteger awaitingWelcome = new AtomicInteger();

  /** Makes the session of a new socket, without limits of its own. */
  public Session open(Transport transport, SessionContext context) {
    return open(transport, context, null, ConnectionGuard.NONE);
  }

  /**
   * Makes the session of a new socket.
   *
   * @param credential what the upgrade's token said; null without one
   * @param guard what the connection may use
   */
  public Session open(
      Transport transport,
      SessionContext context,
      @Nullable Credential credential,
      ConnectionGuard guard) {
    Session session =
        new Session(context.identity().nextConnId(), transport, context, credential, guard);
    awaitingWelcome.incrementAndGet();
    byConnId.put(session.connId(), session);
    context.counters().connectionsOpened.increment();
    return session;
  }

  /** The session, or null when it is gone. */
  public @Nullable Session get(String connId) {
    return byConnId.get(connId);
  }

  /** Sockets that are open. */
  public int size() {
    return byConnId.size();
  }

  /** Sockets that were upgraded and have neither their welcome nor a close. */
  public int awaitingWelcome() {
    return awaitingWelcome.get();
  }

  /**
   * Clients with more than one connection on this edge: what a newer one replaces should not stay.
   * Looks at every connection; for metrics.
   */
  public int clientsWithSeveral() {
    record Client(String user, String clientId) {}
    Set<Client> once = new HashSet<>();
    Set<Client> several = new HashSet<>();
    for (Session session : byConnId.values()) {
      Who who = session.owner();
      if (who != null) {
        Client client = new Client(who.user(), who.clientId());
        if (!once.add(client)) {
          several.add(client);
        }
      }
    }
    return several.size();
  }

  /** Those that are open now; the list is the caller's own. */
  public List<Session> all() {
    return new ArrayList<>(byConnId.values());
  }

  /** Closes every connection now. */
  public void closeAll(CloseCode code) {
    byConnId.values().forEach(session -> session.close(code));
  }

  /** Closes every connection with 1012, spread out, so that not all come back at once. */
  public void restartAll() {
    byConnId.values().forEach(Session::closeSpread);
  }

  /** Looks after every connection's time-outs; to be called about once a second. */
  public void sweep(long nowMs) {
    byConnId.values().forEach(session -> session.sweep(nowMs));
  }

  /** The session got its welcome or ended without. */
  void settled() {
    awaitingWelcome.decrementAndGet();
  }

  /** The session's socket is gone. */
  void remove(Session session) {
    byConnId.remove(session.connId(), session);
  }
}
