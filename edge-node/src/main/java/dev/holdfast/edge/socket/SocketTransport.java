package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Pacer;
import dev.holdfast.edge.session.Transport;
import dev.holdfast.frame.CloseCode;
import io.undertow.util.ImmediatePooledByteBuffer;
import io.undertow.websockets.core.CloseMessage;
import io.undertow.websockets.core.StreamSinkFrameChannel;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSocketFrameType;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import org.xnio.Options;

/**
 * The one writer of one connection.
 *
 * <p>Undertow's sends are asynchronous, unserialised and unbounded, so nothing but a close frame is
 * sent by it: the connection's own I/O thread alone takes batches of up to 64 KiB from {@link
 * OutboundQueue} and writes them through {@link FrameSink}, the next only when the socket took it
 * all.
 */
final class SocketTransport
    implements Transport, FrameSink.Owner, FrameSource.Owner, Endings.One, Runnable {
  private static final int BATCH_BYTES = 64 * 1024;

  private final WebSocketChannel channel;
  private final FrameSink sink;
  private final FrameSource source;
  private final Writers writers;
  private final OutboundQueue queue;
  private final NodeBudget node;
  private final Pacer pacer;
  private volatile @Nullable String closeReason;
  private @Nullable SocketTransport next;
  private @Nullable Runnable whenOver;
  private boolean ending;
  private boolean peerEnded;

  /**
   * @param sink the channel's
   * @param source the channel's; tells this of its end
   * @param writers of the channel's I/O thread
   * @param queueBytes most bytes queued
   * @param node what all queues share
   */
  SocketTransport(
      WebSocketChannel channel,
      FrameSink sink,
      FrameSource source,
      Writers writers,
      int queueBytes,
      NodeBudget node,
      Pacer pacer) {
    this.channel = channel;
    this.sink = sink;
    this.source = source;
    this.writers = writers;
    this.queue = new OutboundQueue(queueBytes, node);
    this.node = node;
    this.pacer = pacer;
    source.tell(this);
  }

  @Override
  public boolean send(byte[] frame, long seq) {
    return after(queue.add(frame, seq));
  }

  @Override
  public boolean sendAhead(byte[] frame) {
    return after(queue.addAhead(frame));
  }

  @Override
  public void close(CloseCode code) {
    boolean unused = after(queue.close(code));
  }

  @Override
  public void closeReason(String reason) {
    closeReason = reason;
  }

  @Override
  public boolean pong() {
    return after(queue.addPong());
  }

  @Override
  public void ping() {
    boolean unused = after(queue.addPing());
  }

  /** Answers a protocol-level PING. */
  void protocolPong(byte[] body) {
    boolean unused = after(queue.addProtocolPong(body));
  }

  /** On the I/O thread, since a session asks for it under its lock. */
  @Override
  public void abort() {
    queue.abandon();
    onItsThread(channel, this::reset);
  }

  /** Soon, with RST, whoever else is still to be closed: the node is gone. */
  static void reset(WebSocketChannel channel) {
    onItsThread(channel, () -> resetNow(channel));
  }

  private static void onItsThread(WebSocketChannel channel, Runnable task) {
    try {
      channel.getIoThread().execute(task);
    } catch (RejectedExecutionException e) {
      IoUtils.safeClose(channel);
    }
  }

  /** Without this, the kernel would go on sending what it has for minutes. */
  private static void resetNow(WebSocketChannel channel) {
    try {
      channel.setOption(Options.CLOSE_ABORT, true);
    } catch (IOException e) {
      // The socket is gone already.
    }
    IoUtils.safeClose(channel);
  }

  private void reset() {
    if (!ending) {
      ending = true;
      source.stop();
      sink.stop();
      writers.endings().add(this);
    }
  }

  /** What ends the session; run once, when the connection has ended or its socket is closed. */
  synchronized void whenOver(Runnable task) {
    whenOver = task;
  }

  @Override
  public void over() {
    Runnable task;
    synchronized (this) {
      task = whenOver;
      whenOver = null;
    }
    if (task != null) {
      task.run();
    }
  }

  /** After a close frame either way, Undertow finishes the handshake; otherwise there is none. */
  @Override
  public boolean peerEnded() {
    if (channel.isCloseFrameSent() || channel.isCloseFrameReceived()) {
      return false;
    }
    queue.abandon();
    peerEnded = true;
    reset();
    return true;
  }

  @Override
  public void end() {
    if (peerEnded) {
      IoUtils.safeClose(channel);
    } else {
      resetNow(channel);
    }
  }

  @Override
  public long queuedBytes() {
    return queue.queuedBytes();
  }

  @Override
  public long handedSeq() {
    return queue.handedSeq();
  }

  @Override
  public boolean hold(long bytes) {
    return node.take(bytes);
  }

  @Override
  public void letGo(long bytes) {
    node.release(bytes);
  }

  /** The socket is gone: what was queued will not be sent. */
  void gone() {
    queue.abandon();
  }

  @Override
  public void suspendReads() {
    channel.suspendReceives();
  }

  @Override
  public void resumeReads() {
    channel.resumeReceives();
  }

  /** See {@link Writers#writeFirst}. */
  void writeFirst() {
    writers.writeFirst();
  }

  /** Which of the {@link Writers} comes after this one. */
  void waitsBehind(@Nullable SocketTransport other) {
    next = other;
  }

  /** Leaves the row of {@link Writers}; returns who came after it. */
  @Nullable SocketTransport stepOut() {
    SocketTransport other = next;
    next = null;
    return other;
  }

  /** Writes what is queued. Runs on the connection's I/O thread. */
  @Override
  public void run() {
    OutboundQueue.Batch batch = writers.batch();
    try {
      long waitMs = pacer.waitMs();
      while (waitMs == 0) {
        if (!queue.take(pacer.batchBytes(BATCH_BYTES), batch)) {
          break;
        }
        if (!write(batch)) {
          batch = null; // the sink keeps it until the socket took it
          return;
        }
        batch.clear();
        waitMs = pacer.waitMs();
      }
      if (waitMs > 0) {
        var unused = channel.getIoThread().executeAfter(this, waitMs, TimeUnit.MILLISECONDS);
      }
    } catch (IOException | RuntimeException e) {
      // The socket is gone or going; the close listener tells the session.
      broken();
    } finally {
      if (batch != null) {
        writers.giveBack(batch);
      }
    }
  }

  private boolean after(OutboundQueue.Offer offer) {
    if (offer == OutboundQueue.Offer.WAKE) {
      writers.wake(this);
    }
    return offer != OutboundQueue.Offer.FULL;
  }

  /** Returns whether the socket took everything; otherwise the writer runs again once it did. */
  private boolean write(OutboundQueue.Batch batch) throws IOException {
    List<byte[]> frames = batch.frames();
    for (int i = 0; i < frames.size(); i++) {
      pacer.spend(frames.get(i).length);
    }
    boolean taken = true;
    if (!batch.closeOnly()) {
      if (channel.isCloseFrameSent() || channel.isCloseFrameReceived()) {
        throw new ClosedChannelException();
      }
      taken = sink.write(batch, Writers.room(), this);
    }
    CloseCode close = batch.close();
    if (close != null) {
      sendClose(close); // behind what the sink still has
    }
    return taken;
  }

  /** Goes on, but not at once: Undertow has still to say that it waits for the socket no more. */
  @Override
  public void taken() {
    writers.wake(this);
  }

  @Override
  public void broken() {
    queue.abandon();
    reset();
  }

  private void sendClose(CloseCode code) throws IOException {
    if (channel.isCloseFrameSent()) {
      return;
    }
    String named = closeReason;
    String reason = named == null ? code.reason() : named;
    CloseMessage message = new CloseMessage(code.code(), reason);
    channel.setCloseCode(code.code());
    channel.setCloseReason(reason);
    StreamSinkFrameChannel frame = channel.send(WebSocketFrameType.CLOSE);
    if (!frame.send(new ImmediatePooledByteBuffer(message.toByteBuffer()))) {
      throw new IOException("a new frame takes its body");
    }
    frame.shutdownWrites();
    boolean unused = frame.flush(); // what the socket does not take now, Undertow writes later
  }
}
