package dev.holdfast.delivery.source;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BeginTest {
  private static final String NOW = new Mark("now", "shop").text();
  private static final String BEFORE = new Mark("before", "shop").text();

  @Test
  void aSourceThatNeverRanBeginsWhereItIsTold() {
    assertThat(Begin.of(null, false, "now")).isEqualTo(Begin.CONFIGURED);
  }

  @Test
  void aPartitionThatWasAddedIsReadFromItsStart() {
    assertThat(Begin.of(null, true, "now")).isEqualTo(Begin.EARLIEST);
  }

  @Test
  void aTopicThatWasMadeAnewIsReadFromItsStart() {
    assertThat(Begin.of(NOW, true, "now")).isEqualTo(Begin.CONTINUE);
    assertThat(Begin.of(BEFORE, true, "now")).isEqualTo(Begin.EARLIEST);
  }

  @Test
  void whereAnOperatorMovedTheGroupItContinues() {
    assertThat(Begin.of("", true, "now")).isEqualTo(Begin.CONTINUE);
    assertThat(Begin.of("somebody's note", true, "now")).isEqualTo(Begin.CONTINUE);
  }

  @Test
  void aMarkIsReadAsWritten() {
    assertThat(Mark.read(NOW)).isEqualTo(new Mark("now", "shop"));
    assertThat(Mark.read("holdfast now")).isNull();
  }
}
