package dev.holdfast.testkit.sim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** Every page of a history is what the instance's mailbox holds and what others say it holds. */
final class HistoryCheck {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final MemoryRows rows;
  private final Ledger ledger;
  private final String instance;
  private Event.@Nullable Query query;

  HistoryCheck(MemoryRows rows, Ledger ledger, String instance) {
    this.rows = rows;
    this.ledger = ledger;
    this.instance = instance;
  }

  /** The event that is applied next. */
  void asked(Event event) {
    query = event instanceof Event.Query asked ? asked : null;
  }

  /** What comes of it. */
  void answered(Delivery answer) {
    Event.Query asked = query;
    if (asked == null || !asked.queryId().equals(answer.connId())) {
      throw new Violation(instance + " answers " + answer.connId() + ", asked was " + asked);
    }
    JsonNode page = read(answer);
    Mailbox box = Mailbox.load(rows, answer.user());
    long latest = box == null ? 0 : box.latest();
    long first = box == null ? 1 : box.first();
    String epoch = box == null ? null : box.epoch();
    boolean meant = box != null && (asked.epoch() == null || asked.epoch().equals(epoch));
    long from = meant ? Math.max(asked.after() + 1, first) : latest + 1;
    long to = Math.min(latest, from + asked.limit() - 1);
    String expected = epoch + " " + latest + ' ' + first + ' ' + (to < latest);
    String found =
        String.join(
            " ",
            page.path("epoch").isNull() ? "null" : page.path("epoch").asText(),
            page.path("latestSeq").asText(),
            page.path("earliestSeq").asText(),
            page.path("more").asText());
    if (!expected.equals(found)) {
      throw new Violation(instance + " answers " + asked + " with " + found + ", not " + expected);
    }
    messages(page.path("messages"), answer.user(), epoch, from, to);
  }

  private void messages(
      JsonNode messages, String user, @Nullable String epoch, long from, long to) {
    long next = from;
    for (JsonNode message : messages) {
      if (epoch == null || message.path("seq").asLong() != next) {
        throw new Violation(instance + " answers with " + message + " in place of " + next);
      }
      String name = message.path("msgId").asText() + ' ' + message.path("payload");
      ledger.names(new Ledger.Line(user, epoch), next, name, instance);
      next++;
    }
    if (next <= to) {
      throw new Violation(instance + " leaves out " + next + " to " + to + " of " + user);
    }
  }

  private static JsonNode read(Delivery answer) {
    try {
      return JSON.readTree(answer.value().utf8());
    } catch (IOException e) {
      throw new UncheckedIOException("an answer is no JSON: " + answer.value(), e);
    }
  }
}
