package dev.holdfast.edge.socket;

import io.undertow.connector.ByteBufferPool;
import io.undertow.server.protocol.framed.FrameHeaderData;
import io.undertow.util.AttachmentKey;
import io.undertow.util.Headers;
import io.undertow.websockets.core.CloseMessage;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSocketFrameCorruptedException;
import io.undertow.websockets.core.WebSockets;
import io.undertow.websockets.core.protocol.version13.Hybi13Handshake;
import io.undertow.websockets.core.protocol.version13.WebSocket13Channel;
import io.undertow.websockets.extensions.CompositeExtensionFunction;
import io.undertow.websockets.spi.WebSocketHttpExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.xnio.StreamConnection;
import org.xnio.conduits.ConduitStreamSinkChannel;
import org.xnio.conduits.ConduitStreamSourceChannel;

/**
 * Undertow's handshake, which puts a {@link FrameSink} and a {@link FrameSource} at the socket of
 * each new channel.
 */
final class Handshake extends Hybi13Handshake {
  private static final AttachmentKey<FrameSink> SINK = AttachmentKey.create(FrameSink.class);
  private static final AttachmentKey<FrameSource> SOURCE = AttachmentKey.create(FrameSource.class);

  Handshake(String subprotocol) {
    super(Set.of(subprotocol), false);
  }

  @Override
  public WebSocketChannel createChannel(
      WebSocketHttpExchange exchange, StreamConnection connection, ByteBufferPool pool) {
    WebSocketChannel channel = new Strict(exchange, connection, pool);
    ConduitStreamSinkChannel socket = connection.getSinkChannel();
    FrameSink sink = new FrameSink(socket.getConduit());
    socket.setConduit(sink);
    exchange.putAttachment(SINK, sink);
    ConduitStreamSourceChannel from = connection.getSourceChannel();
    FrameSource source = new FrameSource(from.getConduit());
    from.setConduit(source);
    exchange.putAttachment(SOURCE, source);
    return channel;
  }

  /** The one before the socket of the exchange's channel. */
  static FrameSink sink(WebSocketHttpExchange exchange) {
    return exchange.getAttachment(SINK);
  }

  /** The one behind the socket of the exchange's channel. */
  static FrameSource source(WebSocketHttpExchange exchange) {
    return exchange.getAttachment(SOURCE);
  }

  /** Without extensions, and with an eye on the length of frames. */
  private static final class Strict extends WebSocket13Channel {
    Strict(WebSocketHttpExchange exchange, StreamConnection connection, ByteBufferPool pool) {
      super(
          connection,
          pool,
          getWebSocketLocation(exchange),
          exchange.getResponseHeader(Headers.SEC_WEB_SOCKET_PROTOCOL_STRING),
          false,
          false,
          CompositeExtensionFunction.compose(List.of()),
          exchange.getPeerConnections(),
          exchange.getOptions());
    }

    /** Undertow takes the low half of a length of 2^63 and more for the length (RFC 6455, 5.2). */
    @Override
    protected @Nullable FrameHeaderData parseFrame(ByteBuffer data) throws IOException {
      FrameHeaderData frame = super.parseFrame(data);
      if (frame == null || frame.getFrameLength() >= 0) {
        return frame;
      }
      String wrong = "a frame's length has its highest bit set";
      CloseMessage close = new CloseMessage(CloseMessage.PROTOCOL_ERROR, wrong);
      WebSockets.sendClose(close.toByteBuffer(), this, null);
      markReadsBroken(new WebSocketFrameCorruptedException(wrong));
      return null;
    }
  }
}
