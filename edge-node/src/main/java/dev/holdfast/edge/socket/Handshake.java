package dev.holdfast.edge.socket;

import io.undertow.connector.ByteBufferPool;
import io.undertow.util.AttachmentKey;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.protocol.version13.Hybi13Handshake;
import io.undertow.websockets.spi.WebSocketHttpExchange;
import java.util.Set;
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
    WebSocketChannel channel = super.createChannel(exchange, connection, pool);
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
}
