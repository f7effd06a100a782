package dev.holdfast.edge.socket;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xnio.ChannelListener;
import org.xnio.channels.StreamSourceChannel;

/**
 * The answer to a request whose body nobody wants: given once the body is read to its end and
 * thrown away, and the connection closed behind it. Undertow would close while the client still
 * sends, and the reset would take the answer with it; many clients also stumble over an answer that
 * comes before they have sent all. {@link BodyDeadline} bounds how long the body may take.
 */
final class LastWord implements ChannelListener<StreamSourceChannel> {
  private static final int CHUNK = 16 * 1024;
  private static final ThreadLocal<ByteBuffer> SCRATCH =
      ThreadLocal.withInitial(() -> ByteBuffer.allocate(CHUNK));

  private final HttpServerExchange exchange;
  private final Runnable answer;
  private boolean said;

  private LastWord(HttpServerExchange exchange, Runnable answer) {
    this.exchange = exchange;
    this.answer = answer;
  }

  /**
   * Answers in due time. Nobody may have begun to read the body.
   *
   * @param answer sends it
   */
  static void say(HttpServerExchange exchange, Runnable answer) {
    LastWord word = new LastWord(exchange, answer);
    exchange.setMaxEntitySize(-1); // of what is not kept
    StreamSourceChannel body = exchange.isRequestComplete() ? null : exchange.getRequestChannel();
    if (body == null) {
      word.say();
    } else {
      exchange.dispatch(SameThreadExecutor.INSTANCE, () -> word.drain(body));
    }
  }

  private void drain(StreamSourceChannel body) {
    body.getReadSetter().set(this);
    handleEvent(body);
    if (!said) {
      body.resumeReads();
    }
  }

  @Override
  public void handleEvent(StreamSourceChannel body) {
    if (said) {
      return;
    }
    try {
      int read = 1;
      while (read > 0) {
        read = body.read(SCRATCH.get().clear());
      }
      if (read < 0) {
        say();
      }
    } catch (IOException e) {
      said = true;
      exchange.endExchange(); // the client has gone
    }
  }

  private void say() {
    said = true;
    exchange.setPersistent(false);
    answer.run();
  }
}
