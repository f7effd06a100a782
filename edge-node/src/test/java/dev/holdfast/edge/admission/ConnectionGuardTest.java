package dev.holdfast.edge.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionGuardTest {
  private static final Rate FRAMES = new Rate(10, 20);
  private static final Rate BYTES = new Rate(1_000, 5_000);

  private final ConnectionGuard guard = guard(FRAMES, BYTES);

  private static ConnectionGuard guard(Rate frames, Rate bytes) {
    AdmissionConfig d = AdmissionConfig.OPEN;
    AdmissionConfig config =
        new AdmissionConfig(
            Rate.OFF,
            Rate.OFF,
            Rate.OFF,
            Rate.OFF,
            d.trustedCidr(),
            d.trustedProxy(),
            0,
            0,
            0,
            0,
            0,
            0,
            frames,
            bytes,
            0);
    return new Admission(config, () -> 0, new Random(1))
        .connect(InetAddress.getLoopbackAddress())
        .guard();
  }

  @Test
  void countsFramesAndBytes() {
    for (int i = 0; i < 20; i++) {
      assertThat(guard.frame(10, 0)).isZero();
    }
    assertThat(guard.frame(10, 0)).as("the 21st frame").isEqualTo(3_300);
    assertThat(guard.frame(10, 100)).isZero();
    assertThat(guard.frame(4_900, 10_000)).isZero();
    assertThat(guard.frame(200, 10_000)).as("the 5001st byte").isEqualTo(3_300);
    assertThat(guard.frame(6_000, 10_000)).as("more than the burst").isEqualTo(4_900);
    assertThat(guard.frame(200, 10_100)).isZero();
  }

  @Test
  void aFrameLargerThanTheBurstPassesAFullBucketOnly() {
    assertThat(guard.frame(50_000, 0)).isZero();
    assertThat(guard.frame(1, 40_000)).isPositive();
    assertThat(guard.frame(1, 50_000)).isZero();
  }

  @Test
  void aSecondBurstBeyondTheLimitIsAFlood() {
    for (int i = 0; i < 40; i++) {
      guard.frame(1, 0);
    }
    assertThat(guard.flooding()).isFalse();
    guard.frame(1, 0);
    assertThat(guard.flooding()).isTrue();
    assertThat(guard.bannedMs()).isBetween(5_000L, 10_000L);
  }

  @Test
  void goingOnALittleTooFastForTenSecondsIsAFlood() {
    long now = 0;
    while (!guard.flooding() && now < 60_000) {
      guard.frame(1, now);
      now += 91;
    }
    assertThat(now).isBetween(20_000L, 40_000L);
  }

  @Test
  void whoHeedsARefusalIsForgiven() {
    long now = 0;
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 30; i++) {
        guard.frame(1, now);
      }
      assertThat(guard.flooding()).as("round " + round).isFalse();
      now += 5_000;
    }
  }

  @ParameterizedTest
  @CsvSource({"60000, 200", "20000, 500", "600, 5000", "100, 20000"})
  @DisplayName(
      "R-5.2 an outbox that sends again as it is told is never closed, at the default limits")
  void whoSendsAgainAsToldIsNotClosed(int bytes, int messages) {
    AdmissionConfig limits = AdmissionConfig.DEFAULT;
    ConnectionGuard one = guard(limits.frameRate(), limits.byteRate());
    long now = 0;
    int sent = 0;
    while (sent < messages) {
      long wait = 0;
      for (int i = Math.min(64, messages - sent); i > 0; i--) { // so many go without an answer
        long told = one.frame(bytes, now);
        wait = wait == 0 ? told : wait;
        sent += wait == 0 ? 1 : 0; // those after a refused one are out of order, and count too
      }
      assertThat(one.flooding()).as("after " + now + " ms and " + sent).isFalse();
      now += 50 + wait;
    }
    assertThat(now).as("as fast as the limits allow, nearly").isLessThan(120_000);
  }
}
