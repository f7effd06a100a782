package dev.holdfast.delivery.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

final class JustMadeTest {
  private int asked;

  /** Answers as a broker does that hears of a topic after a while. */
  private String afterTwo() throws ExecutionException {
    asked++;
    if (asked == 1) {
      throw new ExecutionException(new UnknownTopicOrPartitionException("not heard of yet"));
    }
    if (asked == 2) {
      throw new ExecutionException(new LeaderNotAvailableException("not led yet"));
    }
    return "there";
  }

  @Test
  void whoHasNotHeardOfATopicYetIsAskedAgain() throws Exception {
    assertThat(JustMade.ask(this::afterTwo, Duration.ofSeconds(30))).isEqualTo("there");
    assertThat(asked).isEqualTo(3);
  }

  @Test
  void whatDoesNotComeIsNotWaitedForForEver() {
    assertThatThrownBy(
            () ->
                JustMade.ask(
                    () -> {
                      asked++;
                      throw new ExecutionException(new UnknownTopicOrPartitionException("none"));
                    },
                    Duration.ofMillis(120)))
        .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    assertThat(asked).isBetween(2, 4);
  }

  @Test
  void anotherFailureIsToldAtOnce() {
    assertThatThrownBy(
            () ->
                JustMade.ask(
                    () -> {
                      asked++;
                      throw new ExecutionException(new TopicAuthorizationException("no"));
                    },
                    Duration.ofSeconds(30)))
        .hasCauseInstanceOf(TopicAuthorizationException.class);
    assertThat(asked).isEqualTo(1);
  }
}
