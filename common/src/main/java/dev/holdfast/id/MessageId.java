package dev.holdfast.id;

import dev.holdfast.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a message is (user, clientId, clientMsgId); its {@code msgId} is the first 16
 * bytes of the SHA-256 of the three (of a message for a channel, of these and the channel), so that
 * a retry on any edge gets the same id without asking anybody (D8).
 */
public final class MessageId {
  /** Bytes of an id before it is written as text. */
  public static final int BYTES = 16;

  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
  private static final ThreadLocal<MessageDigest> SHA_256 =
      ThreadLocal.withInitial(() -> digest("SHA-256"));

  private MessageId() {}

  /**
   * What is wrong with a {@code clientMsgId}, as the rest of a sentence that names it: two ids must
   * not become one when they are hashed.
   *
   * @param most the longest, in UTF-16 code units
   * @return null when nothing is
   */
  public static @Nullable String wrong(String clientMsgId, int most) {
    int length = clientMsgId.length();
    if (length == 0 || length > most) {
      return "must have 1-" + most + " characters (UTF-16 code units), it has " + length;
    }
    if (clientMsgId.indexOf('\0') >= 0) {
      return "must not contain the control character NUL";
    }
    return Utf8.encodable(clientMsgId) ? null : "must have no half of a surrogate pair alone";
  }

  /**
   * The 16 bytes that name the message. The parts cannot contain NUL, so no two triples collide.
   */
  public static byte[] hash(String user, String clientId, String clientMsgId) {
    MessageDigest sha = SHA_256.get();
    sha.update(user.getBytes(StandardCharsets.UTF_8));
    sha.update((byte) 0);
    sha.update(clientId.getBytes(StandardCharsets.UTF_8));
    sha.update((byte) 0);
    return Arrays.copyOf(sha.digest(clientMsgId.getBytes(StandardCharsets.UTF_8)), BYTES);
  }

  /**
   * The same of a message for a channel, whose name is a fourth part of its identity: one id sent
   * to several channels names several messages, which may lie in one partition.
   */
  public static byte[] hash(String user, String clientId, String clientMsgId, String channel) {
    return hash(user, clientId, clientMsgId + '\0' + channel);
  }

  /** The id as a client sees it: 22 characters of base64url. */
  public static String text(byte[] hash) {
    return TEXT.encodeToString(hash);
  }

  /** A payload's digest, for telling a repeat from a different message under the same identity. */
  public static long payloadDigest(byte[] payload) {
    return ByteBuffer.wrap(SHA_256.get().digest(payload)).getLong();
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has " + algorithm, e);
    }
  }
}
