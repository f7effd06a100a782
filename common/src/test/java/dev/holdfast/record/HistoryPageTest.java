package dev.holdfast.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.RawJson;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HistoryPageTest {
  @Test
  void isTheBodyOfTheAnswer() {
    HistoryPage page = new HistoryPage("e-1", 9, 3, 10);
    assertThat(page.add(3, "m3", "ann", 30, RawJson.of("{\"a\":1.0}"))).isTrue();
    assertThat(page.add(4, "m4", "bob", 40, RawJson.of("\"ü\""))).isTrue();

    assertThat(page.json(true).toString())
        .isEqualTo(
            "{\"epoch\":\"e-1\",\"latestSeq\":9,\"earliestSeq\":3,\"more\":true,\"messages\":["
                + "{\"seq\":3,\"msgId\":\"m3\",\"from\":\"ann\",\"ts\":30,\"payload\":{\"a\":1.0}},"
                + "{\"seq\":4,\"msgId\":\"m4\",\"from\":\"bob\",\"ts\":40,\"payload\":\"ü\"}]}");
  }

  @Test
  void withoutAMailboxThereIsNoEpoch() throws Exception {
    RawJson page = new HistoryPage(null, 0, 1, 10).json(false);

    assertThat(page.toString())
        .isEqualTo(
            "{\"epoch\":null,\"latestSeq\":0,\"earliestSeq\":1,\"more\":false,\"messages\":[]}");
    assertThat(HistoryPage.epochOf(page.utf8())).isNull();
  }

  @Test
  void takesNoMoreThanTheLimit() {
    HistoryPage page = new HistoryPage("e", 9, 1, 1);
    assertThat(page.add(1, "m", "ann", 1, RawJson.of("1"))).isTrue();
    assertThat(page.add(2, "m", "ann", 1, RawJson.of("1"))).isFalse();
  }

  @Test
  void isBoundedInBytesButForOneMessage() {
    RawJson large = RawJson.of('"' + "x".repeat(1_000_000) + '"');
    HistoryPage page = new HistoryPage("e", 9, 1, 1_000);
    assertThat(page.add(1, "m", "ann", 1, large)).isTrue();
    assertThat(page.add(2, "m", "ann", 1, RawJson.of("1"))).isFalse();

    HistoryPage many = new HistoryPage("e", 9, 1, 1_000);
    RawJson some = RawJson.of('"' + "x".repeat(1_000) + '"');
    int added = 0;
    while (many.add(added + 1, "m", "ann", 1, some)) {
      added++;
    }
    assertThat(added).isBetween(240, 256);
    assertThat(many.json(true).size()).isLessThanOrEqualTo(HistoryPage.MAX_BYTES + 100);
  }

  @Test
  void knowsTheEpochOfAPage() throws Exception {
    byte[] page = new HistoryPage("e-1", 9, 3, 10).json(false).utf8();
    assertThat(HistoryPage.epochOf(page)).isEqualTo("e-1");
    for (String wrong : new String[] {"", "[]", "{}", "{\"code\":1}", "{\"epoch"}) {
      assertThatThrownBy(() -> HistoryPage.epochOf(wrong.getBytes(StandardCharsets.UTF_8)))
          .as(wrong)
          .isInstanceOf(BadRecord.class);
    }
  }
}
