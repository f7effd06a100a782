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
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;

/**
 * The one writer of one connection.
 *
 * <p>Undertow's sends are asynchronous, unserialised and unbounded, so they are fed from {@link
 * OutboundQueue} by the connection's own I/O thread alone: a batch of up to 64 KiB is handed over
 * as frames and flushed once, and the next only when the socket took it all. Only while a batch is
 * handed over does the channel require an explicit flush: what Undertow sends by itself (protocol
 * pongs, close frames for broken framing) must leave at once.
 */
final class SocketTransport implements Transport, Runnable {
  private static final int BATCH_BYTES = 64 * 1024;

  private final WebSocketChannel channel;
  private final OutboundQueue queue;
  private final NodeBudget node;
  private final Pacer pacer;
  private volatile @Nullable String closeReason;

  SocketTransport(WebSocketChannel channel, int queueBytes, NodeBudget node, Pacer pacer) {
    this.channel = channel;
    this.queue = new OutboundQueue(queueBytes, node);
    this.node = node;
    this.pacer = pacer;
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
  public void abort() {
    queue.abandon();
    IoUtils.safeClose(channel);
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

  /** Writes what is queued. Runs on the connection's I/O thread. */
  @Override
  public void run() {
    try {
      long waitMs = pacer.waitMs();
      while (waitMs == 0) {
        OutboundQueue.Batch batch = queue.take(pacer.batchBytes(BATCH_BYTES));
        if (batch == null || !write(batch)) {
          return;
        }
        waitMs = pacer.waitMs();
      }
      var unused = channel.getIoThread().executeAfter(this, waitMs, TimeUnit.MILLISECONDS);
    } catch (IOException | RuntimeException e) {
      // The socket is gone or going; the close listener tells the session.
      abort();
    }
  }

  private boolean after(OutboundQueue.Offer offer) {
    if (offer == OutboundQueue.Offer.WAKE) {
      try {
        channel.getIoThread().execute(this);
      } catch (RejectedExecutionException e) {
        queue.abandon();
      }
    }
    return offer != OutboundQueue.Offer.FULL;
  }

  /** Returns whether the socket took everything; otherwise the writer runs again once it did. */
  private boolean write(OutboundQueue.Batch batch) throws IOException {
    StreamSinkFrameChannel last = null;
    channel.setRequireExplicitFlush(true);
    try {
      for (byte[] frame : batch.frames()) {
        pacer.spend(frame.length);
        last = hand(WebSocketFrameType.TEXT, ByteBuffer.wrap(frame));
      }
      CloseCode close = batch.close();
      if (close != null) {
        last = handClose(close);
      }
    } finally {
      channel.setRequireExplicitFlush(false);
    }
    channel.flush();
    if (last == null || last.flush()) {
      return true;
    }
    last.getWriteSetter().set(this::written);
    last.resumeWrites();
    return false;
  }

  private void written(StreamSinkFrameChannel last) {
    try {
      if (last.flush()) {
        last.suspendWrites();
        run();
      }
    } catch (IOException e) {
      abort();
    }
  }

  private @Nullable StreamSinkFrameChannel handClose(CloseCode code) throws IOException {
    if (channel.isCloseFrameSent()) {
      return null;
    }
    String named = closeReason;
    String reason = named == null ? code.reason() : named;
    CloseMessage message = new CloseMessage(code.code(), reason);
    channel.setCloseCode(code.code());
    channel.setCloseReason(reason);
    return hand(WebSocketFrameType.CLOSE, message.toByteBuffer());
  }

  private StreamSinkFrameChannel hand(WebSocketFrameType type, ByteBuffer body) throws IOException {
    StreamSinkFrameChannel sink = channel.send(type);
    if (!sink.send(new ImmediatePooledByteBuffer(body))) {
      throw new IOException("a new frame takes its body");
    }
    sink.shutdownWrites();
    return sink;
  }
}
