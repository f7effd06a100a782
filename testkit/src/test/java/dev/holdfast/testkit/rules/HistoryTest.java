package dev.holdfast.testkit.rules;

import static dev.holdfast.testkit.rules.TestLog.EDGE;
import static dev.holdfast.testkit.rules.TestLog.OTHER;
import static dev.holdfast.testkit.rules.TestLog.U;
import static dev.holdfast.testkit.rules.TestLog.message;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.record.Event;
import dev.holdfast.testkit.sim.MemoryRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a question for a history is answered with. */
class HistoryTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestLog log = new TestLog();

  private JsonNode ask(String user, long after, int limit, @Nullable String epoch) {
    log.said();
    log.event(user, new Event.Query("q1", EDGE, after, limit, epoch));
    List<String> said = log.said();
    assertThat(said).hasSize(1);
    assertThat(said.get(0)).startsWith("history q1 {");
    try {
      return JSON.readTree(said.get(0).substring("history q1 ".length()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode ask(long after, int limit) {
    return ask(U, after, limit, null);
  }

  private static List<Long> seqs(JsonNode page) {
    List<Long> seqs = new ArrayList<>();
    page.path("messages").forEach(m -> seqs.add(m.path("seq").asLong()));
    return seqs;
  }

  private static void assertKept(JsonNode page, long earliest, long latest, boolean more) {
    assertThat(page.path("earliestSeq").asLong()).isEqualTo(earliest);
    assertThat(page.path("latestSeq").asLong()).isEqualTo(latest);
    assertThat(page.path("more").asBoolean()).isEqualTo(more);
  }

  @Test
  void messagesAreThoseOfTheFrames() {
    log.connect("c1", 0L).event(U, message("bob", "phone", "1", "{\"n\":1.50}"));
    String frame = log.frame();

    log.said();
    log.event(U, new Event.Query("q1", EDGE, 0, 10, null));

    String start = "{\"type\":\"message\",";
    assertThat(frame).startsWith(start).contains("1.50");
    assertThat(log.said())
        .containsExactly(
            "history q1 {\"epoch\":\""
                + log.box().epoch()
                + "\",\"latestSeq\":1,\"earliestSeq\":1,\"more\":false,\"messages\":[{"
                + frame.substring(start.length())
                + "]}");
  }

  @Test
  void goesOnPageByPage() {
    log.messages(7);
    JsonNode page = ask(0, 3);
    assertThat(seqs(page)).containsExactly(1L, 2L, 3L);
    assertKept(page, 1, 7, true);

    page = ask(3, 3);
    assertThat(seqs(page)).containsExactly(4L, 5L, 6L);
    assertKept(page, 1, 7, true);

    page = ask(6, 3);
    assertThat(seqs(page)).containsExactly(7L);
    assertKept(page, 1, 7, false);
  }

  @Test
  void aPageThatEndsAtTheNewestHasNoMoreBehindIt() {
    log.messages(3);

    assertKept(ask(0, 3), 1, 3, false);
  }

  @Test
  void behindTheNewestThereIsNothing() {
    log.messages(3);
    for (long after : new long[] {3, 4, Long.MAX_VALUE}) {
      JsonNode page = ask(after, 3);
      assertThat(seqs(page)).as("after %d", after).isEmpty();
      assertKept(page, 1, 3, false);
    }
  }

  @Test
  void saysWhatIsGoneByCountAndBeginsBehindIt() {
    log.rules(Map.of("mailboxMessages", 3L, "maxBacklog", 3L)).messages(10);

    JsonNode page = ask(2, 2);

    assertThat(seqs(page)).containsExactly(8L, 9L);
    assertKept(page, 8, 10, true);
  }

  @Test
  void saysWhatIsGoneByAgeThoughItsIdentitiesAreStillKnown() {
    log.rules(Map.of("mailboxAgeMs", 1_000L)).messages(4).later(1_001);
    log.event(U, new Event.Expire());
    JsonNode page = ask(0, 10);
    assertThat(seqs(page)).isEmpty();
    assertKept(page, 5, 4, false);

    log.messages(1);
    page = ask(1, 10);
    assertThat(seqs(page)).containsExactly(5L);
    assertKept(page, 5, 5, false);
  }

  @Test
  void aUserWithoutAMailboxHasNothingAndGetsNone() {
    JsonNode page = ask("nobody", 5, 10, null);

    assertThat(page.path("epoch").isNull()).isTrue();
    assertThat(seqs(page)).isEmpty();
    assertKept(page, 1, 0, false);
    assertThat(log.rows.memory().size()).isEqualTo(2); // the partition's own
  }

  @Test
  void whoMeansAnotherEpochGetsNothingOfThisOne() {
    log.messages(2);
    String epoch = log.box().epoch();
    assertThat(seqs(ask(U, 0, 10, epoch))).hasSize(2);

    JsonNode page = ask(U, 0, 10, "another");

    assertThat(seqs(page)).isEmpty();
    assertThat(page.path("epoch").asText()).isEqualTo(epoch);
    assertKept(page, 1, 2, false);
  }

  @Test
  void aPageIsBoundedInBytesAndOneMessageAlwaysFits() {
    String large = '"' + "x".repeat(200_000) + '"';
    for (int i = 0; i < 3; i++) {
      log.event(U, message("bob", "phone", "l" + i, large));
    }
    log.event(U, message("bob", "phone", "h", '"' + "x".repeat(1_000_000) + '"'));

    assertThat(seqs(ask(0, 1_000))).containsExactly(1L);
    assertThat(seqs(ask(2, 1_000))).containsExactly(3L);
    assertThat(seqs(ask(3, 1_000))).containsExactly(4L);
  }

  @Test
  void changesNoRow() {
    log.messages(3).connect("c1", 0L);
    MemoryRows before = log.rows.memory().copy();

    ask(0, 10);
    ask("nobody", 0, 10, null);

    assertThat(log.rows.memory().difference(before)).isNull();
  }

  @Test
  void nobodyElseNotices() {
    log.connect("c1", 0L).messages(1).said();
    log.event(U, new Event.Query("q2", OTHER, 0, 1, null)).message("last");

    assertThat(log.said()).hasSize(2).element(1).isEqualTo("message c1 2");
  }

  @Test
  void readsNoMoreRowsThanItSends() {
    log.messages(300);
    log.rows.walked();

    ask(100, 10);

    assertThat(log.rows.walked()).containsExactly(Map.entry("rows", 11));
  }
}
