package dev.holdfast.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of what a resume did not bring.
 *
 * @param epoch of the mailbox that numbers them: seqs of two epochs have nothing to do with each
 *     other
 * @param messages in order; none of them was handed over before
 * @param from the page covers the seqs above this one
 * @param to and up to this one
 * @param lost what of it is no longer kept; null when nothing is
 * @param more whether further pages follow
 */
public record History(
    String epoch, List<Message> messages, long from, long to, @Nullable Lost lost, boolean more) {
  public History {
    messages = List.copyOf(messages);
  }

  /** The seqs above {@code from} up to {@code to}. */
  public record Lost(long from, long to) {}
}
