package dev.holdfast.edge.session;

import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.ServerFrames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one connection's client is told. A full queue ends the connection: a frame may be refused,
 * never dropped in silence. Runs under its session's lock.
 */
final class Replies {
  private final Session session;
  private final Transport transport;
  private final EdgeCounters counters;

  Replies(Session session, Transport transport, EdgeCounters counters) {
    this.session = session;
    this.transport = transport;
    this.counters = counters;
  }

  /**
   * Queues a frame.
   *
   * @param seq of the message that it is; 0 for any other
   */
  void send(byte[] frame, long seq) {
    counters.frameOut(frame.length);
    closeUnless(transport.send(frame, seq));
  }

  /** Queues a frame ahead of messages. */
  void ahead(byte[] frame) {
    counters.frameOut(frame.length);
    closeUnless(transport.sendAhead(frame));
  }

  /** Answers a literal ping. */
  void pong() {
    counters.frameOut(ServerFrames.PONG.length);
    closeUnless(transport.pong());
  }

  /**
   * Queues an {@code error} frame.
   *
   * @param retryAfterMs milliseconds; below 0: none is told
   */
  void refuse(
      ErrorCode code,
      String why,
      @Nullable String clientMsgId,
      @Nullable String channel,
      long retryAfterMs) {
    counters.refused(code);
    send(ServerFrames.error(code, why, clientMsgId, channel, retryAfterMs), 0);
  }

  /** The same where the client is not to send it again, though the code may say so elsewhere. */
  void refuseForGood(ErrorCode code, String why, String clientMsgId, String channel) {
    counters.refused(code);
    send(ServerFrames.error(code, why, clientMsgId, channel, false, -1), 0);
  }

  /** The same of a frame that names channels. */
  void refuseChannels(ErrorCode code, String why, List<String> channels, long retryAfterMs) {
    counters.refused(code);
    send(ServerFrames.channelsError(code, why, channels, retryAfterMs), 0);
  }

  /** The same of a frame that names users, or of something that these users are about. */
  void refuse(ErrorCode code, String why, List<String> users, long retryAfterMs) {
    counters.refused(code);
    send(ServerFrames.error(code, why, users, retryAfterMs), 0);
  }

  private void closeUnless(boolean queued) {
    if (!queued) {
      session.close(CloseCode.SLOW_CONSUMER);
    }
  }
}
