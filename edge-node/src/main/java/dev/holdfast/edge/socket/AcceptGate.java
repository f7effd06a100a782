package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.edge.session.SessionContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;

/**
 * Counts sockets from the moment they are accepted, before TLS and HTTP, and drops those that are
 * too many: a socket that never asks for anything costs memory and a file descriptor as well. It
 * also stays below the limit of open files, at which accepting would fail over and over.
 */
final class AcceptGate implements ChannelListener<StreamConnection> {
  private final ChannelListener<StreamConnection> next;
  private final Admission admission;
  private final SessionContext context;
  private final int mostSockets = OpenFiles.forSockets();

  AcceptGate(ChannelListener<StreamConnection> next, Admission admission, SessionContext context) {
    this.next = next;
    this.admission = admission;
    this.context = context;
  }

  @Override
  public void handleEvent(StreamConnection connection) {
    InetSocketAddress peer = connection.getPeerAddress(InetSocketAddress.class);
    if (peer == null) {
      IoUtils.safeClose(connection); // it has gone already
      return;
    }
    Refusal refusal =
        admission.openSockets() >= mostSockets
            ? Refusal.NODE_SOCKETS
            : admission.socket(peer.getAddress(), context.sessions().size());
    if (refusal != null) {
      context.counters().turnedAway(refusal).increment();
      IoUtils.safeClose(connection);
      return;
    }
    Seat seat = new Seat(peer.getAddress());
    next.handleEvent(connection);
    // Undertow has set its own listener by now; it is told as well.
    seat.then = connection.getCloseListener();
    connection.setCloseListener(seat);
    if (!connection.isOpen()) {
      seat.leave();
    }
  }

  /** The place that one socket takes; left once. */
  private final class Seat implements ChannelListener<StreamConnection> {
    private final InetAddress peer;
    private @Nullable ChannelListener<? super StreamConnection> then;
    private boolean left;

    Seat(InetAddress peer) {
      this.peer = peer;
    }

    @Override
    public void handleEvent(StreamConnection connection) {
      leave();
      ChannelListeners.invokeChannelListener(connection, then);
    }

    synchronized void leave() {
      if (!left) {
        left = true;
        admission.socketGone(peer);
      }
    }
  }
}
