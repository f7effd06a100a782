package dev.holdfast.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the mailbox that the application asked for.
 *
 * @param epoch null where there is no mailbox
 * @param latestSeq the newest seq assigned
 * @param earliestSeq the oldest seq that is kept
 * @param more ask again with {@code after} set to the last seq of this page
 */
public record HistoryPage(
    @Nullable String epoch,
    List<Message> messages,
    long latestSeq,
    long earliestSeq,
    boolean more) {
  public HistoryPage {
    messages = List.copyOf(messages);
  }
}
