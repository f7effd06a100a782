package dev.holdfast.edge.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConnectionGuardTest {
  private static final Rate FRAMES = new Rate(10, 20);
  private static final Rate BYTES = new Rate(1_000, 5_000);

  private final ConnectionGuard guard = guard();

  private static ConnectionGuard guard() {
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
            FRAMES,
            BYTES,
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
    assertThat(guard.frame(10, 0)).as("the 21st frame").isEqualTo(100);
    assertThat(guard.frame(10, 100)).isZero();
    assertThat(guard.frame(4_900, 10_000)).isZero();
    assertThat(guard.frame(200, 10_000)).as("the 5001st byte").isEqualTo(100);
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
}
