package dev.holdfast.delivery.replay;

import dev.holdfast.channel.ChannelHeaders;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * What a copy of a channel's event says of itself, in its header {@link ChannelHeaders#REPLAY}: a
 * run that is repeated reads there what it has sent, and no replay copies it once more beside its
 * original. As text, five words.
 *
 * @param run that made it
 * @param topicId of the topic in which the original lies, its own one unless somebody copied it on
 * @param partition of the original
 * @param offset of the original
 * @param end the offset behind the range of that run
 */
record CopyMark(String run, String topicId, int partition, long offset, long end) {
  private static final Pattern WORDS =
      Pattern.compile("(\\S{1,64}) (\\S{1,64}) ([0-9]{1,9}) ([0-9]{1,18}) ([0-9]{1,18})");

  /** The header's value. */
  byte[] bytes() {
    return (run + ' ' + topicId + ' ' + partition + ' ' + offset + ' ' + end)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Of a record that is a copy; null where it is none, or the header is not one of ours. */
  static @Nullable CopyMark of(Headers headers) {
    Header header = headers.lastHeader(ChannelHeaders.REPLAY);
    if (header == null || header.value() == null) {
      return null;
    }
    Matcher words = WORDS.matcher(new String(header.value(), StandardCharsets.UTF_8));
    if (!words.matches()) {
      return null;
    }
    return new CopyMark(
        words.group(1),
        words.group(2),
        Integer.parseInt(words.group(3)),
        Long.parseLong(words.group(4)),
        Long.parseLong(words.group(5)));
  }
}
