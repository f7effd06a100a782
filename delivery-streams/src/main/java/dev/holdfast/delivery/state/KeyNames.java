package dev.holdfast.delivery.state;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Keys of rows in words, for operators. They name users, edges and seqs, never what was said. */
public final class KeyNames {
  private KeyNames() {}

  /** What the row under {@code key} is. */
  public static String of(byte[] key) {
    if (Arrays.equals(key, Keys.partition())) {
      return "the partition's own row: rules, and how far the log is applied";
    }
    if (Arrays.equals(key, Keys.logId())) {
      return "the row that says which log the state is from";
    }
    if (Arrays.equals(key, Keys.quiet())) {
      return "the row of an application that is still quiet";
    }
    if (key.length > 1 && key[0] == 2) {
      return "connection " + text(key, 1, key.length).replace("\0", " / ");
    }
    if (key.length > 1 && key[0] == 3) {
      return "lease of edge " + text(key, 1, key.length);
    }
    if (key.length > Long.BYTES && key[0] == 4) {
      return "leave of " + Keys.leavingUser(key);
    }
    return ofUser(key);
  }

  private static String ofUser(byte[] key) {
    int end = 0;
    while (end < key.length && key[end] != 0) {
      end++;
    }
    int rest = key.length - end - 2;
    if (end == 0 || rest < 0) {
      return hex(key, 0);
    }
    String user = text(key, 0, end);
    return switch (key[end + 1]) {
      case 'z' -> "mailbox of " + user;
      case 'd' -> "identity " + hex(key, end + 2) + " in the mailbox of " + user;
      case 'm' ->
          rest == Long.BYTES
              ? "message " + ByteBuffer.wrap(key).getLong(end + 2) + " of " + user
              : hex(key, 0);
      default -> hex(key, 0);
    };
  }

  private static String hex(byte[] key, int from) {
    return HexFormat.of().formatHex(key, from, key.length);
  }

  private static String text(byte[] key, int from, int to) {
    return new String(key, from, to - from, StandardCharsets.US_ASCII);
  }
}
