package dev.holdfast.delivery.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceSpecTest {
  @Test
  void aTopicAloneIsJsonFromItsNameAndBeginsAtTheEnd() {
    assertThat(SourceSpec.parse("orders"))
        .isEqualTo(new SourceSpec("orders", "orders", Format.JSON, Start.LATEST));
  }

  @Test
  void namesAndTimesMayHaveColons() {
    SourceSpec spec =
        SourceSpec.parse("orders:start=2026-11-30T12:00:00Z:from=shop:berlin:format=base64");

    assertThat(spec.from()).isEqualTo("shop:berlin");
    assertThat(spec.format()).isEqualTo(Format.BASE64);
    assertThat(spec.start().timeMs())
        .isEqualTo(OptionalLong.of(Instant.parse("2026-11-30T12:00:00Z").toEpochMilli()));
  }

  @Test
  void aTopicsNameThatIsTooLongForANameIsCut() {
    assertThat(SourceSpec.parse("t".repeat(249)).from()).isEqualTo("t".repeat(128));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "holdfast.events",
        "holdfast.anything",
        "holdfast-delivery-a-mailboxes-changelog",
        "__consumer_offsets",
        "",
        ".",
        "no spaces",
        "orders:from=",
        "orders:from=bad name",
        "orders:format=xml",
        "orders:start=yesterday",
        "orders:colour=red",
        "orders:from=a:from=b",
        "orders:json"
      })
  void whatCannotBeASourceIsRefused(String text) {
    assertThatThrownBy(() -> SourceSpec.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void oneTopicIsOneSource() {
    assertThatThrownBy(() -> SourceSpec.parseAll(List.of("a", "b", "a:from=x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a is given twice");
  }
}
