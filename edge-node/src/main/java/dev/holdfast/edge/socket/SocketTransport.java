package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Pacer;
import dev.holdfast.edge.session.Transport;
import dev.holdfast.frame.CloseCode;
import io.undertow.connector.PooledByteBuffer;
import io.undertow.util.ImmediatePooledByteBuffer;
import io.undertow.websockets.core.CloseMessage;
import io.undertow.websockets.core.StreamSinkFrameChannel;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSocketFrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import org.xnio.Options;

/**
 * The one writer of one connection.
 *
 * <p>Undertow's sends are asynchronous, unserialised and unbounded, so they are fed from {@link
 * OutboundQueue} by the connection's own I/O thread alone: a batch of up to 64 KiB is handed over
 * as frames and flushed once, and the next only when the socket took it all. Only while a batch is
 * handed over does the channel require an explicit flush: what Undertow sends by itself (close
 * frames for broken framing) must leave at once.
 */
final class SocketTransport implements Transport, Runnable {
  private static final int BATCH_BYTES = 64 * 1024;
  private static final byte[] NOTHING = new byte[0];

  /** One batch for all writers of an I/O thread: each is done with it before the next begins. */
  private static final ThreadLocal<OutboundQueue.@Nullable Batch> SPARE = new ThreadLocal<>();

  private final WebSocketChannel channel;
  private final OutboundQueue queue;
  private final NodeBudget node;
  private final Pacer pacer;
  private volatile @Nullable String closeReason;
  private @Nullable PongBody pongBody;

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
    try {
      channel.getIoThread().execute(this::reset);
    } catch (RejectedExecutionException e) {
      IoUtils.safeClose(channel);
    }
  }

  /** Without this, the kernel would go on sending what it has for minutes. */
  private void reset() {
    try {
      channel.setOption(Options.CLOSE_ABORT, true);
    } catch (IOException e) {
      // The socket is gone already.
    }
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
    OutboundQueue.Batch batch = SPARE.get();
    // Were a writer to run inside another, it would not get the other's batch.
    SPARE.set(null);
    if (batch == null) {
      batch = new OutboundQueue.Batch();
    }
    try {
      long waitMs = pacer.waitMs();
      while (waitMs == 0) {
        if (!queue.take(pacer.batchBytes(BATCH_BYTES), batch) || !write(batch)) {
          return;
        }
        batch.clear();
        waitMs = pacer.waitMs();
      }
      var unused = channel.getIoThread().executeAfter(this, waitMs, TimeUnit.MILLISECONDS);
    } catch (IOException | RuntimeException e) {
      // The socket is gone or going; the close listener tells the session.
      abort();
    } finally {
      batch.clear();
      SPARE.set(batch);
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
      last = writeControl(batch);
      List<byte[]> frames = batch.frames();
      for (int i = 0; i < frames.size(); i++) {
        byte[] frame = frames.get(i);
        pacer.spend(frame.length);
        last = hand(WebSocketFrameType.TEXT, whole(frame));
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

  private @Nullable StreamSinkFrameChannel writeControl(OutboundQueue.Batch batch)
      throws IOException {
    StreamSinkFrameChannel last = null;
    if (batch.ping()) {
      last = hand(WebSocketFrameType.PING, whole(NOTHING));
    }
    byte[] answer = batch.protocolPong();
    if (answer != null) {
      last = hand(WebSocketFrameType.PONG, whole(answer));
    }
    for (int i = 0; i < batch.pongs(); i++) {
      last = hand(WebSocketFrameType.TEXT, pongBody());
    }
    return last;
  }

  private PooledByteBuffer pongBody() {
    PongBody body = pongBody;
    if (body == null) {
      body = new PongBody();
      pongBody = body;
    }
    return body.take();
  }

  private static PooledByteBuffer whole(byte[] body) {
    return new ImmediatePooledByteBuffer(ByteBuffer.wrap(body));
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
    return hand(WebSocketFrameType.CLOSE, new ImmediatePooledByteBuffer(message.toByteBuffer()));
  }

  private StreamSinkFrameChannel hand(WebSocketFrameType type, PooledByteBuffer body)
      throws IOException {
    StreamSinkFrameChannel sink = channel.send(type);
    if (!sink.send(body)) {
      throw new IOException("a new frame takes its body");
    }
    sink.shutdownWrites();
    return sink;
  }
}
