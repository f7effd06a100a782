package dev.holdfast.client.port;

/**
 * Is told what happens to a {@link Socket}, on any thread. What comes after the first {@link
 * #ended} is ignored.
 */
public interface SocketListener {
  /** The handshake succeeded. */
  void opened();

  /** A text frame came; the next one follows after {@link Socket#more}. */
  void text(String text);

  /** The connection is over, or could not be made. */
  void ended(Ended how);
}
