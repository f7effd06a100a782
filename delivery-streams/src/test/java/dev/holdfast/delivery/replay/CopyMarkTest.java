package dev.holdfast.delivery.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.channel.ChannelHeaders;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CopyMarkTest {
  private static @Nullable CopyMark read(byte[] value) {
    RecordHeaders headers = new RecordHeaders();
    headers.add(ChannelHeaders.REPLAY, value);
    return CopyMark.of(headers);
  }

  @Test
  @DisplayName("a mark reads as it was written, and a record without one is no copy")
  void round() {
    CopyMark mark = new CopyMark("nightly-1", "AbC_d-0123456789012345", 7, 1L << 40, 1L << 41);
    assertThat(read(mark.bytes())).isEqualTo(mark);
    assertThat(CopyMark.of(new RecordHeaders())).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "run", "run t 0 1", "run t 0 1 x", "run t -1 1 2", "run t 0 1 2 3"})
  @DisplayName("a header that is none of ours makes no record a copy")
  void other(String value) {
    assertThat(read(value.getBytes(StandardCharsets.UTF_8))).isNull();
  }
}
