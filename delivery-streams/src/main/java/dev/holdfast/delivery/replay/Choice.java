package dev.holdfast.delivery.replay;

import dev.holdfast.RawJson;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Event;
import java.util.Objects;

/** What a replay does with one record. */
sealed interface Choice {
  /**
   * It is sent again.
   *
   * @param event under the identity that it had the first time
   * @param value the event as it is written
   * @param firstMs when the identity was known for the first time, or earlier; ms since 1970
   * @param producersTime whether that is a producer's time
   */
  record Send(String user, Event.Message event, RawJson value, long firstMs, boolean producersTime)
      implements Choice {
    /** As the client sees it. */
    String msgId() {
      return MessageId.text(
          MessageId.hash(
              event.from(), event.clientId(), Objects.requireNonNull(event.clientMsgId())));
    }
  }

  /** It cannot be sent; the reason is counted. */
  record Not(String why) implements Choice {}

  /** It is none of what was asked for. */
  record Other() implements Choice {}
}
