package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.socket.OutboundQueue.Batch;
import dev.holdfast.edge.socket.OutboundQueue.Offer;
import dev.holdfast.frame.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutboundQueueTest {
  private static final int COST = 1 + OutboundQueue.OVERHEAD;

  @Test
  void pongsGoAheadOfData() {
    OutboundQueue queue = new OutboundQueue(1_000);
    queue.add(bytes("a"), 1);
    queue.addAhead(bytes("p"));
    queue.add(bytes("b"), 2);
    assertThat(texts(queue.take(1_000))).containsExactly("p", "a", "b");
    assertThat(queue.handedSeq()).isEqualTo(2);
  }

  @Test
  void wakesTheWriterOnceUntilItRanDry() {
    OutboundQueue queue = new OutboundQueue(1_000);
    assertThat(queue.add(bytes("a"), 0)).isEqualTo(Offer.WAKE);
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.QUEUED);
    assertThat(texts(queue.take(1))).containsExactly("a");
    assertThat(queue.add(bytes("c"), 0)).isEqualTo(Offer.QUEUED);
    assertThat(texts(queue.take(1_000))).containsExactly("b", "c");
    assertThat(queue.take(1_000)).isNull();
    assertThat(queue.add(bytes("d"), 0)).isEqualTo(Offer.WAKE);
  }

  @Test
  void aFrameLargerThanABatchGoesAlone() {
    OutboundQueue queue = new OutboundQueue(1_000);
    queue.add(bytes("aaaa"), 0);
    queue.add(bytes("b"), 0);
    assertThat(texts(queue.take(2))).containsExactly("aaaa");
    assertThat(texts(queue.take(2))).containsExactly("b");
  }

  @Test
  void isFullByBytesInBothLanes() {
    OutboundQueue queue = new OutboundQueue(2 * COST);
    queue.add(bytes("a"), 0);
    queue.addAhead(bytes("p"));
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.FULL);
    assertThat(queue.addAhead(bytes("p"))).isEqualTo(Offer.FULL);
    queue.take(1_000);
    assertThat(queue.queuedBytes()).isZero();
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.QUEUED);
  }

  @Test
  void aCloseComesLastAndOnce() {
    OutboundQueue queue = new OutboundQueue(1_000);
    queue.add(bytes("a"), 0);
    queue.close(CloseCode.PROTOCOL_ERROR);
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.CLOSED);
    assertThat(queue.close(CloseCode.NORMAL)).isEqualTo(Offer.CLOSED);
    Batch batch = queue.take(1_000);
    assertThat(texts(batch)).containsExactly("a");
    assertThat(batch).extracting(Batch::close).isEqualTo(CloseCode.PROTOCOL_ERROR);
    assertThat(queue.take(1_000)).isNull();
  }

  @Test
  void aSlowConsumersQueueIsDropped() {
    OutboundQueue queue = new OutboundQueue(1_000);
    queue.add(bytes("a"), 0);
    queue.close(CloseCode.SLOW_CONSUMER);
    Batch batch = queue.take(1_000);
    assertThat(texts(batch)).isEmpty();
    assertThat(batch).extracting(Batch::close).isEqualTo(CloseCode.SLOW_CONSUMER);
  }

  /** Steps: 0–3 add data, 4–5 add a pong, 6–9 take. */
  @Property
  void keepsOrderBudgetAndCount(@ForAll @Size(max = 200) List<@IntRange(max = 9) Integer> steps) {
    OutboundQueue queue = new OutboundQueue(20 * COST);
    List<String> added = new ArrayList<>();
    List<String> taken = new ArrayList<>();
    boolean awake = false;
    int next = 0;
    for (int step : steps) {
      if (step >= 6) {
        Batch batch = awake ? queue.take(step) : null;
        awake = batch != null;
        texts(batch).stream().filter(text -> !text.equals("p")).forEach(taken::add);
      } else {
        String text = step >= 4 ? "p" : Character.toString('A' + next++ % 26);
        Offer offer = step >= 4 ? queue.addAhead(bytes(text)) : queue.add(bytes(text), 0);
        assertThat(offer == Offer.WAKE).isEqualTo(!awake && offer != Offer.FULL);
        awake |= offer == Offer.WAKE;
        if (step < 4 && offer != Offer.FULL) {
          added.add(text);
        }
      }
      assertThat(queue.queuedBytes()).isBetween(0L, 20L * COST);
    }
    Batch rest = queue.take(10_000);
    texts(rest).stream().filter(text -> !text.equals("p")).forEach(taken::add);
    assertThat(taken).isEqualTo(added);
    assertThat(queue.queuedBytes()).isZero();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> texts(@Nullable Batch batch) {
    List<String> texts = new ArrayList<>();
    if (batch != null) {
      batch.frames().forEach(frame -> texts.add(new String(frame, StandardCharsets.UTF_8)));
    }
    return texts;
  }
}
