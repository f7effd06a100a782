package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.edge.socket.OutboundQueue.Batch;
import dev.holdfast.edge.socket.OutboundQueue.Offer;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.ServerFrames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OutboundQueueTest {
  private static final int COST = 1 + OutboundQueue.OVERHEAD;

  private final NodeBudget node = new NodeBudget(1_000_000);

  @Test
  void pongsGoAheadOfData() {
    OutboundQueue queue = new OutboundQueue(1_000, node);
    queue.add(bytes("a"), 1);
    queue.addAhead(bytes("p"));
    queue.add(bytes("b"), 2);
    assertThat(texts(take(queue, 1_000))).containsExactly("p", "a", "b");
    assertThat(queue.handedSeq()).isEqualTo(2);
  }

  @Test
  void wakesTheWriterOnceUntilItRanDry() {
    OutboundQueue queue = new OutboundQueue(1_000, node);
    assertThat(queue.add(bytes("a"), 0)).isEqualTo(Offer.WAKE);
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.QUEUED);
    assertThat(texts(take(queue, 1))).containsExactly("a");
    assertThat(queue.add(bytes("c"), 0)).isEqualTo(Offer.QUEUED);
    assertThat(texts(take(queue, 1_000))).containsExactly("b", "c");
    assertThat(take(queue, 1_000)).isNull();
    assertThat(queue.add(bytes("d"), 0)).isEqualTo(Offer.WAKE);
  }

  @Test
  void aFrameLargerThanABatchGoesAlone() {
    OutboundQueue queue = new OutboundQueue(1_000, node);
    queue.add(bytes("aaaa"), 0);
    queue.add(bytes("b"), 0);
    assertThat(texts(take(queue, 2))).containsExactly("aaaa");
    assertThat(texts(take(queue, 2))).containsExactly("b");
  }

  @Test
  void isFullByBytesInBothLanes() {
    OutboundQueue queue = new OutboundQueue(2 * COST, node);
    queue.add(bytes("a"), 0);
    queue.addAhead(bytes("p"));
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.FULL);
    assertThat(queue.addAhead(bytes("p"))).isEqualTo(Offer.FULL);
    take(queue, 1_000);
    assertThat(queue.queuedBytes()).isZero();
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.QUEUED);
  }

  @Test
  void aCloseComesLastAndOnce() {
    OutboundQueue queue = new OutboundQueue(1_000, node);
    queue.add(bytes("a"), 0);
    queue.close(CloseCode.PROTOCOL_ERROR);
    assertThat(queue.add(bytes("b"), 0)).isEqualTo(Offer.CLOSED);
    assertThat(queue.close(CloseCode.NORMAL)).isEqualTo(Offer.CLOSED);
    Batch batch = take(queue, 1_000);
    assertThat(texts(batch)).containsExactly("a");
    assertThat(batch).extracting(Batch::close).isEqualTo(CloseCode.PROTOCOL_ERROR);
    assertThat(take(queue, 1_000)).isNull();
  }

  @Test
  void aSlowConsumersQueueIsDropped() {
    OutboundQueue queue = new OutboundQueue(1_000, node);
    queue.add(bytes("a"), 0);
    queue.close(CloseCode.SLOW_CONSUMER);
    Batch batch = take(queue, 1_000);
    assertThat(texts(batch)).isEmpty();
    assertThat(batch).extracting(Batch::close).isEqualTo(CloseCode.SLOW_CONSUMER);
  }

  @Test
  void allQueuesShareTheNodesBudgetAndGiveItBack() {
    NodeBudget small = new NodeBudget(3 * COST);
    OutboundQueue one = new OutboundQueue(1_000, small);
    OutboundQueue two = new OutboundQueue(1_000, small);
    one.add(bytes("a"), 0);
    one.addAhead(bytes("p"));
    two.add(bytes("a"), 0);
    assertThat(two.add(bytes("b"), 0)).isEqualTo(Offer.FULL);
    take(one, 1);
    assertThat(two.add(bytes("b"), 0)).isEqualTo(Offer.QUEUED);
    two.close(CloseCode.SLOW_CONSUMER);
    assertThat(small.used()).isEqualTo(COST);
    one.abandon();
    one.abandon();
    assertThat(small.used()).isZero();
    assertThat(one.add(bytes("a"), 0)).isEqualTo(Offer.CLOSED);
    assertThat(small.used()).isZero();
  }

  @Test
  void theLargestMessageFitsAnEmptyQueue() {
    NodeBudget large = new NodeBudget(Limits.DEFAULT.nodeQueueBytes());
    OutboundQueue queue = new OutboundQueue(Limits.DEFAULT.queueBytes(), large);
    RawJson payload = RawJson.of("\"" + "x".repeat(1024 * 1024) + "\"");
    byte[] frame = ServerFrames.message(1, "m".repeat(32), "f".repeat(128), 1, true, payload);
    assertThat(queue.add(frame, 1)).isEqualTo(Offer.WAKE);
  }

  /** Steps: 0–3 add data, 4–5 add a pong, 6–9 take. */
  @Property
  void keepsOrderBudgetAndCount(@ForAll @Size(max = 200) List<@IntRange(max = 9) Integer> steps) {
    OutboundQueue queue = new OutboundQueue(20 * COST, node);
    List<String> added = new ArrayList<>();
    List<String> taken = new ArrayList<>();
    boolean awake = false;
    int next = 0;
    for (int step : steps) {
      if (step >= 6) {
        Batch batch = awake ? take(queue, step) : null;
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
    Batch rest = take(queue, 10_000);
    texts(rest).stream().filter(text -> !text.equals("p")).forEach(taken::add);
    assertThat(taken).isEqualTo(added);
    assertThat(queue.queuedBytes()).isZero();
    assertThat(node.used()).isZero();
  }

  @Test
  void controlGoesAheadOfDataAndIsBounded() {
    OutboundQueue queue = new OutboundQueue(100_000, node);
    queue.add(bytes("a"), 1);
    for (int i = 0; i < 300; i++) {
      queue.addPong();
      queue.addPing();
      queue.addProtocolPong(bytes("x" + i));
    }
    Batch first = Objects.requireNonNull(take(queue, 1_000));
    assertThat(first.ping()).isTrue();
    assertThat(first.protocolPong()).isEqualTo(bytes("x299"));
    assertThat(first.pongs()).isEqualTo(256);
    assertThat(texts(first)).containsExactly("a");
    Batch second = Objects.requireNonNull(take(queue, 1_000));
    assertThat(second.ping()).isFalse();
    assertThat(second.protocolPong()).isNull();
    assertThat(second.pongs()).isEqualTo(44);
    assertThat(take(queue, 1_000)).isNull();
    assertThat(node.used()).isZero();
  }

  @Test
  void pongsCountAgainstTheBudgetAndAreDroppedWithTheRest() {
    int cost = 4 + OutboundQueue.OVERHEAD;
    OutboundQueue queue = new OutboundQueue(2 * cost, node);
    assertThat(queue.addPong()).isEqualTo(Offer.WAKE);
    assertThat(queue.addPong()).isEqualTo(Offer.QUEUED);
    assertThat(queue.addPong()).isEqualTo(Offer.FULL);
    queue.close(CloseCode.SLOW_CONSUMER);
    assertThat(node.used()).isZero();
    Batch batch = take(queue, 1_000);
    assertThat(batch).extracting(Batch::pongs).isEqualTo(0);
    assertThat(batch).extracting(Batch::close).isEqualTo(CloseCode.SLOW_CONSUMER);
    assertThat(queue.addPong()).isEqualTo(Offer.CLOSED);
    assertThat(queue.addPing()).isEqualTo(Offer.CLOSED);
    assertThat(queue.addProtocolPong(bytes("x"))).isEqualTo(Offer.CLOSED);
  }

  @Test
  void isFullByFramesHoweverSmall() {
    OutboundQueue queue = new OutboundQueue(1 << 20, new NodeBudget(1 << 20));
    for (int i = 0; i < OutboundQueue.MOST_FRAMES; i++) {
      assertThat(queue.add(bytes(""), 0)).isNotEqualTo(Offer.FULL);
    }
    assertThat(queue.add(bytes(""), 0)).isEqualTo(Offer.FULL);
    assertThat(queue.addPong()).isEqualTo(Offer.FULL);
  }

  private static @Nullable Batch take(OutboundQueue queue, int maxBytes) {
    Batch batch = new Batch();
    return queue.take(maxBytes, batch) ? batch : null;
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
