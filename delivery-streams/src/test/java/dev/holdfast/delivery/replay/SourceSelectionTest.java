package dev.holdfast.delivery.replay;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.source.Mark;
import dev.holdfast.delivery.source.SourceSpec;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class SourceSelectionTest {
  private static final SourceSpec NOTES = SourceSpec.parse("notes");

  private static Map<TopicPartition, OffsetAndMetadata> at(String metadata) {
    return Map.of(
        new TopicPartition("notes", 0), new OffsetAndMetadata(7, Optional.empty(), metadata));
  }

  @Test
  void aSourceWithAPositionIsReplayed() {
    SourceSelection.check(NOTES, "id", at(new Mark("id", "notes").text()), false);
    SourceSelection.check(NOTES, "id", at("moved by a tool"), false);
  }

  @Test
  void withoutAPositionNothingTellsWhatWasCopied() {
    assertThatThrownBy(() -> SourceSelection.check(NOTES, "id", Map.of(), false))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("group holdfast-source-notes has no position")
        .hasMessageContaining("--never-forwarded");
    SourceSelection.check(NOTES, "id", Map.of(), true);
  }

  @Test
  void aSourceIsNotOneThatNeverWasForwarded() {
    assertThatThrownBy(
            () -> SourceSelection.check(NOTES, "id", at(new Mark("id", "notes").text()), true))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("leave --never-forwarded out");
  }

  @Test
  void aTopicThatWasMadeAnewHasNotBegun() {
    assertThatThrownBy(
            () -> SourceSelection.check(NOTES, "new", at(new Mark("id", "notes").text()), false))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("was made anew");
  }

  @Test
  void anotherNameWouldMakeEveryRecordNew() {
    assertThatThrownBy(
            () -> SourceSelection.check(NOTES, "id", at(new Mark("id", "other").text()), false))
        .isInstanceOf(StartRefused.class)
        .hasMessageContaining("runs as other");
  }
}
