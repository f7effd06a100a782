package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.rules.Outbox.Entry;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private final Outbox outbox = new Outbox();

  private void fill(int count) {
    for (int i = 1; i <= count; i++) {
      outbox.add("m" + i, "{\"user\":\"bob\"}", "1", 0);
    }
  }

  private List<String> ids(List<Entry> entries) {
    return entries.stream().map(Entry::clientMsgId).toList();
  }

  @Test
  @DisplayName("R-5.2 beyond the bound the oldest goes")
  void overflow() {
    fill(5);
    assertThat(ids(outbox.overflow(3))).containsExactly("m1", "m2");
    assertThat(ids(outbox.all())).containsExactly("m3", "m4", "m5");
  }

  @Test
  @DisplayName("R-5.2 what waits for an answer, or is waited for, does not go")
  void overflowUnderWay() {
    fill(5);
    outbox.all().subList(0, 2).forEach(outbox::underWay);
    outbox.refused(outbox.all().get(1));
    assertThat(ids(outbox.overflow(3))).containsExactly("m3", "m4");
    assertThat(ids(outbox.all())).containsExactly("m1", "m2", "m5");
  }

  @Test
  @DisplayName("R-5.2 in order, 64 without an answer, the next when one is answered")
  void window() {
    fill(100);
    List<Entry> first = outbox.due();
    assertThat(first).hasSize(64);
    first.forEach(outbox::underWay);
    assertThat(outbox.due()).isEmpty();
    outbox.remove("m1");
    assertThat(ids(outbox.due())).containsExactly("m65");
  }

  @Test
  @DisplayName("a refused one is not overtaken: it and all after it go again, once each")
  void refused() {
    fill(4);
    List<Entry> all = outbox.all();
    all.subList(0, 3).forEach(outbox::underWay);
    outbox.refused(all.get(1));
    assertThat(outbox.due()).as("m3 will be refused too").isEmpty();
    outbox.refused(all.get(2));
    assertThat(ids(outbox.due())).containsExactly("m2", "m3", "m4");
    outbox.due().forEach(outbox::underWay);
    assertThat(outbox.due()).isEmpty();
    outbox.refused(all.get(2));
    outbox.disconnected();
    assertThat(ids(outbox.due())).containsExactly("m1", "m2", "m3", "m4");
  }

  @Test
  @DisplayName(
      "R-5.3 what was sent longer ago than the server remembers is taken out, by any clock")
  void uncertain() {
    fill(3);
    outbox.all().get(0).attempted(1_000, 10);
    outbox.all().get(1).attempted(1_000, 500);
    assertThat(outbox.uncertain(1_499, 509, 500)).isEmpty();
    assertThat(ids(outbox.uncertain(900, 510, 500))).containsExactly("m1"); // set back
    assertThat(ids(outbox.uncertain(1_500, 520, 500))).containsExactly("m2");
    assertThat(ids(outbox.all())).containsExactly("m3");
  }

  @Test
  @DisplayName("R-5.2 after a restart numbers and order go on")
  void restored() {
    outbox.restored(7, "old", "{\"user\":\"bob\"}", "1", 0, 1_000);
    Entry next = outbox.add("new", "{\"channel\":\"rooms:a\"}", "{\"a\":1.10}", 0);
    assertThat(next.number()).isEqualTo(8);
    assertThat(outbox.underWay(outbox.all().get(0))).isTrue();
    assertThat(outbox.underWay(next)).isFalse();
    assertThat(Frames.send(next))
        .isEqualTo(
            "{\"type\":\"send\",\"clientMsgId\":\"new\",\"channel\":\"rooms:a\",\"payload\":{\"a\":1.10}}");
    assertThat(ids(outbox.uncertain(2_000, 0, 1_000))).isEmpty(); // under way
    outbox.disconnected();
    assertThat(ids(outbox.uncertain(2_000, 0, 1_000))).containsExactly("old");
  }
}
