package dev.holdfast.edge.session;

import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;

/** One client's socket, as the session sees it. Every method may be called from any thread. */
public interface Transport {

  /**
   * Queues a frame behind those queued before.
   *
   * @param frame UTF-8 of one text frame; not copied, nobody changes it
   * @param seq the message's seq, or 0 when the frame is no message
   * @return false when the queue's budget is used up: the client is a slow consumer
   */
  boolean send(byte[] frame, long seq);

  /** The same, ahead of all queued data: for pongs. */
  boolean sendAhead(byte[] frame);

  /** Queues the literal {@code pong} ahead of all data; the same outcomes. */
  default boolean pong() {
    return sendAhead(ServerFrames.PONG);
  }

  /**
   * Sends a protocol-level PING ahead of all data; one that still waits serves for both. Its answer
   * shows as {@link Session#onLife}.
   */
  void ping();

  /**
   * Ends the connection with a close frame. What is queued goes out first, except for {@link
   * CloseCode#SLOW_CONSUMER}, whose queue is dropped. Later frames are ignored.
   */
  void close(CloseCode code);

  /** What a later {@link #close} says instead of the code's own reason; at most 123 bytes. */
  default void closeReason(String reason) {}

  /** Drops the socket without another word (a TCP reset), and what was queued with it. */
  void abort();

  /** Bytes that wait in the queue. */
  long queuedBytes();

  /**
   * Puts bytes that came from the client and must wait on the node's account of queued bytes.
   *
   * @return false when that is used up; nothing was put on it
   */
  default boolean hold(long bytes) {
    return true;
  }

  /** Takes bytes off the account again. */
  default void letGo(long bytes) {}

  /** Newest seq that left the queue for the socket; 0 when none did. */
  long handedSeq();

  /** Takes no more frames from the client until {@link #resumeReads}. */
  void suspendReads();

  void resumeReads();
}
