package dev.holdfast.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BatchReaderTest {
  private static final String GOOD =
      "{\"x\":[1],\"messages\":[{\"a\":1,\"idempotencyKey\":\"k\"},{\"idempotencyKey\":null}]}";

  @Test
  void messagesAreKeptAsTheyWereWritten() throws Exception {
    List<BatchReader.Item> items = batch(GOOD);
    assertThat(items).hasSize(2);
    assertThat(items.get(0).json().toString()).isEqualTo("{\"a\":1,\"idempotencyKey\":\"k\"}");
    assertThat(items.get(0).key()).isEqualTo("k");
    assertThat(items.get(1).key()).isNull();
  }

  @Test
  @DisplayName("what has no messages is no batch, so the reader of single ones tells what is wrong")
  void noBatch() throws Exception {
    for (String body :
        List.of("", "x", "[]", "1", "{}", "{\"to\":1}", "{\"payload\":{\"messages\":[]}}")) {
      assertThat(read(body)).as(body).isNull();
    }
  }

  @Test
  void aKeyWithinAPayloadIsNotTheMessages() throws Exception {
    List<BatchReader.Item> items =
        batch("{\"messages\":[{\"payload\":{\"idempotencyKey\":\"inner\"}}]}");
    assertThat(items.get(0).key()).isNull();
  }

  @Test
  @DisplayName("an element that cannot be a message is marked, and costs the others nothing")
  void wrongElements() throws Exception {
    List<BatchReader.Item> items =
        batch("{\"messages\":[5,{\"idempotencyKey\":[7]},null,[{}],\"x\",{\"a\":1}]}");
    assertThat(items)
        .extracting(BatchReader.Item::wrong)
        .containsExactly(
            "a message must be a JSON object",
            "idempotencyKey must be a string",
            "a message must be a JSON object",
            "a message must be a JSON object",
            "a message must be a JSON object",
            null);
    assertThat(items.get(5).json()).hasToString("{\"a\":1}");
  }

  @Test
  void anythingAfterTheBatchIsRefused() {
    assertThatThrownBy(() -> read("{\"messages\":[{}]}{}")).isInstanceOf(BadFrame.class);
    assertThatThrownBy(() -> read("{\"messages\":[{}]} x")).isInstanceOf(BadFrame.class);
  }

  @Test
  @DisplayName("whatever comes, it is read, no batch, or a BadFrame")
  void survivesAnything() {
    byte[] good = GOOD.getBytes(StandardCharsets.UTF_8);
    int[] outcomes = new int[3];
    for (long seed = 0; seed < 20_000; seed++) {
      byte[] body = changed(good, new Random(seed));
      try {
        outcomes[BatchReader.read(body) == null ? 0 : 1]++;
      } catch (BadFrame e) {
        outcomes[2]++;
      } catch (RuntimeException e) {
        throw new AssertionError(
            "seed " + seed + ": " + new String(body, StandardCharsets.UTF_8), e);
      }
    }
    assertThat(outcomes).as("each of the three came").doesNotContain(0);
  }

  private static byte[] changed(byte[] good, Random random) {
    byte[] body = Arrays.copyOf(good, good.length - random.nextInt(5));
    byte[] alphabet = "{}[]\",:\\ x1n\u00e9".getBytes(StandardCharsets.UTF_8);
    for (int i = random.nextInt(4); i > 0; i--) {
      body[random.nextInt(body.length)] = alphabet[random.nextInt(alphabet.length)];
    }
    return body;
  }

  private static List<BatchReader.Item> batch(String body) throws BadFrame {
    return Objects.requireNonNull(read(body));
  }

  private static @Nullable List<BatchReader.Item> read(String body) throws BadFrame {
    return BatchReader.read(body.getBytes(StandardCharsets.UTF_8));
  }
}
