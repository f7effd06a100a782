package dev.holdfast.client.port;

/**
 * One connection, from the attempt on. Methods may be called on any thread, at any time, and
 * neither block nor throw; once the connection has ended they do nothing.
 */
public interface Socket {
  /** Sends a text frame; frames go out in order. */
  void send(String text);

  /**
   * Sends a close frame after what was sent before; destroys the connection where the other side
   * does not answer soon.
   */
  void close(int code, String reason);

  /** Destroys the connection, or gives the attempt up, without a word. */
  void abort();

  /** The frame that was told last has been dealt with: the next one may come. */
  void more();
}
