package dev.holdfast.channel;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A place in a channel: everything before {@code next} was seen (D11). Clients keep it as opaque
 * text and give it back to any edge; it says enough to notice that the topic was made anew, has
 * another number of partitions, or was cut off and went on differently.
 *
 * <p>As text: the topic's tag, the offset, the partition and the epoch, joined by dots, the numbers
 * in base 36 and the offset with its number of digits in front. So texts of one channel sort as
 * their offsets do.
 *
 * @param topic {@link #tag} of the topic's id
 * @param partition the channel's partition
 * @param next the offset after the last one seen; from 0
 * @param epoch leader epoch of the record at {@code next - 1}; below 0: not known
 */
public record Position(String topic, int partition, long next, int epoch) {
  private static final int RADIX = 36;
  private static final int TAG_BYTES = 6;
  private static final Base64.Encoder TAG = Base64.getUrlEncoder().withoutPadding();

  /** Longest text. */
  private static final int MAX_LENGTH = 8 + 1 + 14 + 1 + 6 + 1 + 6;

  /** Eight characters that tell topics apart: the first 48 bits of the topic's id. */
  public static String tag(long mostSignificantBits) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(mostSignificantBits).array();
    return TAG.encodeToString(Arrays.copyOf(bytes, TAG_BYTES));
  }

  /** What a client gave back; null when no edge gave it out. */
  public static @Nullable Position parse(String text) {
    if (text.length() > MAX_LENGTH) {
      return null;
    }
    String[] parts = text.split("\\.", -1);
    if (parts.length != 4 || parts[0].length() != 8 || parts[1].isEmpty()) {
      return null;
    }
    try {
      long next = Long.parseLong(parts[1].substring(1), RADIX);
      int partition = Integer.parseInt(parts[2], RADIX);
      int epoch = Integer.parseInt(parts[3], RADIX) - 1;
      Position read = new Position(parts[0], partition, next, epoch);
      return next >= 0 && partition >= 0 && epoch >= -1 && read.text().equals(text) ? read : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** The text for clients. */
  public String text() {
    return text(topic, partition, next, epoch);
  }

  /** The same without an object. */
  public static String text(String topic, int partition, long next, int epoch) {
    String offset = Long.toString(next, RADIX);
    return topic
        + '.'
        + Character.forDigit(offset.length(), RADIX)
        + offset
        + '.'
        + Integer.toString(partition, RADIX)
        + '.'
        + Integer.toString(Math.max(epoch, -1) + 1, RADIX);
  }
}
