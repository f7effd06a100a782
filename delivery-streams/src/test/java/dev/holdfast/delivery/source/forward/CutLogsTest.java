package dev.holdfast.delivery.source.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class CutLogsTest {
  private static final TopicPartition P = new TopicPartition("orders", 0);
  private static final long BEGIN = 10;
  private static final long END = 50;

  private final CutLogs cuts = new CutLogs("orders");

  private static OffsetAndMetadata at(long offset, int epoch) {
    return new OffsetAndMetadata(offset, Optional.of(epoch), "");
  }

  private OffsetAndMetadata goOn(OffsetAndMetadata committed) {
    return cuts.goOn(P, committed, BEGIN, END);
  }

  @Test
  void whereTheLogWasCutIfThatIsBeforeTheCommittedPosition() {
    cuts.found(new LogTruncationException(Map.of(P, 40L), Map.of(P, at(30, 2))));

    assertThat(goOn(at(40, 3))).isEqualTo(at(30, 2));
    assertThat(goOn(at(40, 3))).as("once").isEqualTo(at(40, 3));
  }

  @Test
  void atTheCommittedPositionIfTheCutIsBehindIt() {
    cuts.found(new LogTruncationException(Map.of(P, 40L), Map.of(P, at(30, 2))));

    assertThat(goOn(at(25, 2))).isEqualTo(at(25, 2));
  }

  @Test
  void withoutAnEpochWhereTheBrokerDoesNotKnowTheCut() {
    cuts.found(new LogTruncationException(Map.of(P, 60L), Map.of()));

    assertThat(goOn(at(60, 3))).isEqualTo(new OffsetAndMetadata(END));
  }

  @Test
  void behindTheEndOnlyWithAnEpochSinceTheBrokerIsAskedThen() {
    assertThat(goOn(at(60, 3))).isEqualTo(at(60, 3));
    assertThat(goOn(new OffsetAndMetadata(60))).isEqualTo(new OffsetAndMetadata(END));
  }

  @Test
  void atTheBeginningWhereOlderRecordsWereDeleted() {
    assertThat(goOn(at(5, 1))).isEqualTo(new OffsetAndMetadata(BEGIN));
  }

  @Test
  void aPartitionThatWentAndCameBackIsLookedAtAnew() {
    cuts.found(new LogTruncationException(Map.of(P, 40L), Map.of(P, at(30, 2))));
    cuts.forget(Set.of(P));

    assertThat(goOn(at(40, 3))).isEqualTo(at(40, 3));
  }
}
