package dev.holdfast.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class FrameBatchTest {

  @Test
  void oneFrameIsItsOwnValue() {
    byte[] frame = bytes("{}");

    byte[] value = FrameBatch.join(List.of(frame));

    assertThat(value).isSameAs(frame);
    assertThat(FrameBatch.frame(value, 0, FrameBatch.end(value, 0))).isSameAs(frame);
  }

  /** Whatever JSON may hold comes out as it went in; a raw control character is not among it. */
  @Property
  void framesComeOutAsTheyWentIn(
      @ForAll @Size(min = 1, max = 20)
          List<@CharRange(from = ' ', to = '\uD7FF') @StringLength(max = 30) String> texts) {
    List<byte[]> frames = texts.stream().map(FrameBatchTest::bytes).toList();

    byte[] value = FrameBatch.join(frames);

    List<String> out = new ArrayList<>();
    int from = 0;
    while (from <= value.length) {
      int end = FrameBatch.end(value, from);
      out.add(new String(FrameBatch.frame(value, from, end), StandardCharsets.UTF_8));
      from = end + 1;
    }
    assertThat(out).isEqualTo(texts);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
