package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.edge.session.Seldom;
import dev.holdfast.edge.session.SessionContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.XnioIoThread;
import org.xnio.channels.AcceptingChannel;

/**
 * Counts sockets from the moment they are accepted, before TLS and HTTP: one that never asks for
 * anything costs memory and a file descriptor as well. Those that are too many for their address
 * are dropped. While there are too many for the node none is accepted, so that the others wait in
 * the kernel's queue and get their answer a little later; a reset would tell them nothing. It also
 * stays below the limit of open files, at which accepting would fail over and over.
 */
final class AcceptGate implements ChannelListener<StreamConnection> {
  private static final Logger LOG = LoggerFactory.getLogger(AcceptGate.class);

  /** How often it is looked whether accepting can go on. */
  private static final long LOOK_MS = 20;

  private final ChannelListener<StreamConnection> next;
  private final Admission admission;
  private final SessionContext context;
  private final Function<XnioIoThread, Endings> endings;
  private final int mostSockets = OpenFiles.forSockets();
  private final Seldom seldom = new Seldom();
  private @Nullable AcceptingChannel<? extends StreamConnection> server;
  private boolean paused;

  /**
   * @param endings who of an I/O thread is to be closed
   */
  AcceptGate(
      ChannelListener<StreamConnection> next,
      Admission admission,
      SessionContext context,
      Function<XnioIoThread, Endings> endings) {
    this.next = next;
    this.admission = admission;
    this.context = context;
    this.endings = endings;
  }

  /** What accepts the sockets; before the first comes. */
  synchronized void stopsAndGoes(AcceptingChannel<? extends StreamConnection> accepting) {
    server = accepting;
  }

  @Override
  public void handleEvent(StreamConnection connection) {
    InetSocketAddress peer = connection.getPeerAddress(InetSocketAddress.class);
    if (peer == null) {
      IoUtils.safeClose(connection); // it has gone already
      return;
    }
    Refusal refusal = admission.socket(peer.getAddress());
    if (refusal != null) {
      context.counters().turnedAway(refusal).increment();
      IoUtils.safeClose(connection);
      return;
    }
    LastReads.of(connection, endings.apply(connection.getIoThread()));
    Seat seat = new Seat(peer.getAddress());
    next.handleEvent(connection);
    // Undertow has set its own listener by now; it is told as well.
    seat.then = connection.getCloseListener();
    connection.setCloseListener(seat);
    if (!connection.isOpen()) {
      seat.leave();
    }
    if (crowded()) {
      pause();
    }
  }

  private boolean crowded() {
    return admission.openSockets() >= mostSockets || admission.crowded(context.sessions().size());
  }

  private synchronized void pause() {
    if (server == null) {
      return;
    }
    server.suspendAccepts(); // also again: XNIO resumes by itself after too many open files
    if (paused) {
      return;
    }
    paused = true;
    context.counters().acceptPauses.increment();
    if (seldom.now()) {
      LOG.warn(
          "{} sockets are open, {} of them WebSockets: new ones wait until some are gone"
              + " (--max-http-sockets, or the limit of open files)",
          admission.openSockets(),
          context.sessions().size());
    }
    context.later().run(LOOK_MS, this::look);
  }

  private synchronized void look() {
    if (crowded()) {
      context.later().run(LOOK_MS, this::look);
    } else if (server != null) {
      paused = false;
      server.resumeAccepts();
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
