package dev.holdfast.edge.socket;

import dev.holdfast.edge.tls.TlsContext;
import io.undertow.UndertowOptions;
import io.undertow.connector.ByteBufferPool;
import io.undertow.protocols.ssl.UndertowXnioSsl;
import io.undertow.server.DefaultByteBufferPool;
import io.undertow.server.HttpHandler;
import io.undertow.server.protocol.http.HttpOpenListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.Sequence;
import org.xnio.StreamConnection;
import org.xnio.Xnio;
import org.xnio.XnioWorker;
import org.xnio.channels.AcceptingChannel;
import org.xnio.ssl.SslConnection;

/**
 * What {@code Undertow.builder()} sets up, put together by hand: the builder has no place between
 * accepting a socket and beginning with TLS, which is where sockets are counted. HTTP/1.1 only.
 */
final class Listener {
  private static final int END_S = 5;
  private static final int BACKLOG = 4_096;
  private static final int TASK_THREADS = 2;
  private static final int BUFFER_BYTES = 16 * 1024 - 20;
  private static final int BUFFERS_PER_THREAD = 4;

  private static final OptionMap SOCKET =
      OptionMap.builder()
          .set(Options.TCP_NODELAY, true)
          .set(Options.REUSE_ADDRESSES, true)
          .set(Options.BALANCING_TOKENS, 1)
          .set(Options.BALANCING_CONNECTIONS, 2)
          .set(Options.BACKLOG, BACKLOG)
          .set(Options.SSL_ENABLED_PROTOCOLS, Sequence.of("TLSv1.3", "TLSv1.2"))
          .getMap();

  private final String host;
  private final int port;
  private final @Nullable TlsContext tls;
  private final ByteBufferPool buffers;
  private final AcceptGate gate;
  private @Nullable XnioWorker worker;
  private boolean closed;
  private @Nullable AcceptingChannel<? extends StreamConnection> server;

  /**
   * @param options Undertow's own
   * @param gate put before what Undertow does with a new socket
   * @param tls what connections are encrypted with, or null
   */
  Listener(
      String host,
      int port,
      HttpHandler root,
      OptionMap options,
      Function<ChannelListener<StreamConnection>, AcceptGate> gate,
      @Nullable TlsContext tls) {
    this.host = host;
    this.port = port;
    this.tls = tls;
    // Undertow unmasks byte by byte, which costs several times as much in a direct buffer.
    this.buffers = new DefaultByteBufferPool(false, BUFFER_BYTES, -1, BUFFERS_PER_THREAD);
    OptionMap all =
        OptionMap.builder()
            .set(UndertowOptions.BUFFER_PIPELINED_DATA, true)
            .addAll(options)
            .getMap();
    HttpOpenListener open = new HttpOpenListener(buffers, all);
    open.setRootHandler(root);
    this.gate = gate.apply(open);
  }

  /** Binds and accepts. */
  void start() throws IOException {
    Xnio xnio = Xnio.getInstance(Listener.class.getClassLoader());
    int ioThreads = Math.max(Runtime.getRuntime().availableProcessors(), 2);
    XnioWorker started =
        xnio.createWorker(
            OptionMap.builder()
                .set(Options.WORKER_IO_THREADS, ioThreads)
                .set(Options.WORKER_TASK_CORE_THREADS, TASK_THREADS)
                .set(Options.WORKER_TASK_MAX_THREADS, TASK_THREADS)
                .set(Options.TCP_NODELAY, true)
                .set(Options.CORK, true)
                .getMap());
    worker = started;
    OptionMap socket =
        OptionMap.builder().addAll(SOCKET).set(Options.WORKER_IO_THREADS, ioThreads).getMap();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), port);
    AcceptingChannel<? extends StreamConnection> bound =
        tls == null
            ? started.createStreamConnectionServer(
                address, ChannelListeners.openListenerAdapter(gate), socket)
            : encrypted(xnio, started, tls, address, socket);
    server = bound;
    gate.stopsAndGoes(bound);
    bound.resumeAccepts();
  }

  private AcceptingChannel<? extends StreamConnection> encrypted(
      Xnio xnio,
      XnioWorker started,
      TlsContext context,
      InetSocketAddress address,
      OptionMap socket)
      throws IOException {
    // With buffers of its own, which hold a whole TLS record; ours are a little too small for one.
    UndertowXnioSsl ssl = new UndertowXnioSsl(xnio, OptionMap.EMPTY, context.current());
    context.onChange(ssl::updateSSLContext);
    context.start();
    ChannelListener<AcceptingChannel<SslConnection>> accept =
        ChannelListeners.openListenerAdapter(gate);
    return ssl.createSslConnectionServer(started, address, accept, socket);
  }

  /** The port that was bound. */
  int port() {
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server.getLocalAddress(InetSocketAddress.class).getPort();
  }

  /**
   * Drops every socket; at once where that was done before, since XNIO would then wait for ever.
   */
  synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    IoUtils.safeClose(server);
    if (tls != null) {
      tls.close();
    }
    if (worker == null || ended(worker)) {
      buffers.close(); // otherwise a thread still holds some
    }
  }

  private static boolean ended(XnioWorker worker) {
    worker.shutdownNow();
    try {
      return worker.awaitTermination(END_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
