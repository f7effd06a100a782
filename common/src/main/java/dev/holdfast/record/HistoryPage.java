package dev.holdfast.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One page of a mailbox, as the very bytes that answer the HTTP request: {@code {"epoch": …,
 * "latestSeq": …, "earliestSeq": …, "more": …, "messages": [{"seq", "msgId", "from", "ts",
 * "payload"}, …]}}. Bounded in bytes, so that the record that carries it fits into Kafka; one
 * message always fits. For one thread.
 */
public final class HistoryPage {
  /** Bytes of messages at which a page is full; a single larger message makes a page of its own. */
  public static final int MAX_BYTES = 256 * 1024;

  private final @Nullable String epoch;
  private final long latestSeq;
  private final long earliestSeq;
  private final int limit;
  private final ByteArrayOutputStream messages = new ByteArrayOutputStream(1_024);
  private int count;

  /**
   * A page without messages yet.
   *
   * @param epoch the mailbox's; null where there is none
   * @param latestSeq newest seq assigned; 0 when none
   * @param earliestSeq oldest seq kept; {@code latestSeq + 1} when none
   * @param limit most messages
   */
  public HistoryPage(@Nullable String epoch, long latestSeq, long earliestSeq, int limit) {
    this.epoch = epoch;
    this.latestSeq = latestSeq;
    this.earliestSeq = earliestSeq;
    this.limit = limit;
  }

  /**
   * Adds the next message, if there is room.
   *
   * @param from a valid name
   * @param ts milliseconds since 1970, by the broker's clock
   * @return false when the page is full without it
   */
  public boolean add(long seq, String msgId, String from, long ts, RawJson payload) {
    // As in a message's frame, nothing but the payload could need an escape.
    String head =
        (count == 0 ? "" : ",")
            + "{\"seq\":"
            + seq
            + ",\"msgId\":\""
            + msgId
            + "\",\"from\":\""
            + from
            + "\",\"ts\":"
            + ts
            + ",\"payload\":";
    int bytes = head.length() + payload.size() + 1;
    if (count == limit || (count > 0 && messages.size() + bytes > MAX_BYTES)) {
      return false;
    }
    messages.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    messages.writeBytes(payload.utf8());
    messages.write('}');
    count++;
    return true;
  }

  /**
   * The whole page.
   *
   * @param more whether the mailbox has messages behind the last one here
   */
  public RawJson json(boolean more) {
    String head =
        "{\"epoch\":"
            + (epoch == null ? "null" : '"' + epoch + '"')
            + ",\"latestSeq\":"
            + latestSeq
            + ",\"earliestSeq\":"
            + earliestSeq
            + ",\"more\":"
            + more
            + ",\"messages\":[";
    ByteArrayOutputStream page = new ByteArrayOutputStream(head.length() + messages.size() + 2);
    page.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
    page.writeBytes(messages.toByteArray());
    page.write(']');
    page.write('}');
    return RawJson.of(page.toByteArray());
  }

  /**
   * The epoch of a page, which stands first; null where there is no mailbox.
   *
   * @throws BadRecord when it is no page
   */
  public static @Nullable String epochOf(byte[] page) throws BadRecord {
    try (JsonParser in = JsonIo.parser(page)) {
      if (in.nextToken() != JsonToken.START_OBJECT || !"epoch".equals(in.nextFieldName())) {
        throw new BadRecord("bad_history", "the value is no page");
      }
      in.nextToken();
      return JsonIo.text(in);
    } catch (IOException e) {
      throw new BadRecord("bad_history", "the value is not JSON");
    }
  }
}
