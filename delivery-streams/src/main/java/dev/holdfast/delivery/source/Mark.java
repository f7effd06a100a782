package dev.holdfast.delivery.source;

import org.jspecify.annotations.Nullable;

/**
 * What is committed beside an offset, as the offset's metadata: of which topic it is, and under
 * which sender the records before it were copied.
 *
 * @param topicId of the topic as it was; one that is deleted and made anew has another
 * @param from the sender's name, a part of every copy's identity
 */
public record Mark(String topicId, String from) {
  private static final String BEGIN = "holdfast ";

  /** As it is committed: {@code holdfast TOPIC-ID FROM}, neither of which can have a blank. */
  public String text() {
    return BEGIN + topicId + ' ' + from;
  }

  /** Reads it back; null for what somebody else committed, a tool that moved the group perhaps. */
  public static @Nullable Mark read(String text) {
    if (!text.startsWith(BEGIN)) {
      return null;
    }
    String rest = text.substring(BEGIN.length());
    int blank = rest.indexOf(' ');
    return blank < 0 ? null : new Mark(rest.substring(0, blank), rest.substring(blank + 1));
  }
}
