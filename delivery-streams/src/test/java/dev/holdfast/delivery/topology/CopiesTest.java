package dev.holdfast.delivery.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.topology.TopicsAdmin.Finding;
import java.util.List;
import org.junit.jupiter.api.Test;

class CopiesTest {
  private final Findings findings = new Findings();

  private List<Finding> check(int replicas, int minIsr, int brokers) {
    Copies.check(findings, "t", replicas, minIsr, brokers, "all stops");
    return findings.list();
  }

  @Test
  void threeCopiesOfWhichTwoMustBeThereAreRight() {
    assertThat(check(3, 2, 3)).isEmpty();
  }

  @Test
  void oneCopyOnTheOnlyBrokerIsAllThatCanBe() {
    assertThat(check(1, 1, 1)).isEmpty();
  }

  @Test
  void oneCopyOfThreeBrokersIsTold() {
    assertThat(check(1, 1, 3))
        .singleElement()
        .satisfies(f -> assertThat(f.refusal()).isFalse())
        .satisfies(f -> assertThat(f.text()).startsWith("t has 1 replica: a lost disk loses"));
  }

  @Test
  void moreThanThereAreIsRefused() {
    assertThat(check(2, 3, 3))
        .singleElement()
        .satisfies(f -> assertThat(f.refusal()).isTrue())
        .satisfies(
            f ->
                assertThat(f.text())
                    .startsWith(
                        "t has 2 replicas and min.insync.replicas=3: nothing can be written")
                    .contains("all stops", "set min.insync.replicas to 1"));
  }

  @Test
  void allThatThereAreAndOneOnlyAreTold() {
    Copies.check(findings, "u", 3, 1, 3, "all stops");

    assertThat(check(2, 2, 3))
        .allMatch(f -> !f.refusal())
        .satisfiesExactly(
            f ->
                assertThat(f.text())
                    .startsWith("u has 3 replicas and min.insync.replicas=1: what is acknowledged"),
            f ->
                assertThat(f.text())
                    .startsWith("t has 2 replicas and min.insync.replicas=2: while any one of"));
  }

  @Test
  void whatIsTrueOfSeveralIsSaidOnceAndRefusalsFirst() {
    Copies.check(findings, "b", 1, 1, 3, "all stops");
    Copies.check(findings, "a", 1, 1, 3, "all stops");

    assertThat(check(1, 2, 3))
        .satisfiesExactly(
            f -> assertThat(f.text()).startsWith("t has 1 replica and min.insync.replicas=2"),
            f -> assertThat(f.text()).startsWith("a, b have 1 replica: "));
  }
}
