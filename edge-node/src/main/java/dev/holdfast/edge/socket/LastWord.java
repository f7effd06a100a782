package dev.holdfast.edge.socket;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.xnio.ChannelListener;
import org.xnio.channels.StreamSourceChannel;

/**
 * The answer to a request whose body nobody wants: given once the body is read to its end and
 * thrown away, and the connection closed behind it. Undertow would close while the client still
 * sends, and the reset would take the answer with it; many clients also stumble over an answer that
 * comes before they have sent all. {@link BodyDeadline} bounds how long the body may take.
 */
final class LastWord implements ChannelListener<StreamSourceChannel> {

  /** Then others on the same thread have their turn, however fast this client sends. */
  private static final int READS = 16;

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
  }

  @Override
  public void handleEvent(StreamSourceChannel body) {
    if (said) {
      return;
    }
    try {
      int read = 1;
      for (int n = 0; n < READS && read > 0; n++) {
        read = body.read(Scratch.cleared());
      }
      if (read < 0) {
        say();
      } else if (read == 0) {
        body.resumeReads();
      } else {
        body.suspendReads();
        exchange.getIoThread().execute(() -> handleEvent(body));
      }
    } catch (IOException | RejectedExecutionException e) {
      said = true;
      exchange.endExchange(); // the client has gone, or the node goes
    }
  }

  private void say() {
    said = true;
    exchange.setPersistent(false);
    answer.run();
  }
}
