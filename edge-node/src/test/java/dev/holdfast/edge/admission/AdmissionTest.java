package dev.holdfast.edge.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final AdmissionConfig D = AdmissionConfig.DEFAULT;

  private long nowMs = 1_000_000;

  @Test
  @DisplayName("R-6.1: 5 connections a second and address after a small burst, then 429")
  void ratesByAddress() throws Exception {
    Admission admission = admission(D.connectRate());
    for (int i = 0; i < 20; i++) {
      admit(admission, "192.0.2.1").gone();
    }
    Decision refused = admission.connect(address("192.0.2.1"));
    assertThat(refused.refusal()).isEqualTo(Refusal.IP_RATE);
    assertThat(refused.retryAfterS()).isBetween(1, 11);
    admit(admission, "192.0.2.2");
    nowMs += 1_000;
    for (int i = 0; i < 5; i++) {
      admit(admission, "192.0.2.1").gone();
    }
    assertThat(refusal(admission, "192.0.2.1")).isEqualTo(Refusal.IP_RATE);
  }

  @Test
  @DisplayName("R-6.1: trusted networks have no limits by address, only the node's")
  void trustsNetworks() throws Exception {
    Admission admission = admission(new Rate(10, 100));
    for (int i = 0; i < 100; i++) {
      admit(admission, "198.51.100.7");
    }
    assertThat(refusal(admission, "198.51.100.7")).isEqualTo(Refusal.NODE_RATE);
    assertThat(admission.addressesHolding()).isZero();
  }

  @Test
  void oneAddressDoesNotUseUpTheNodesTokens() throws Exception {
    Admission admission = admission(new Rate(1, 30));
    for (int i = 0; i < 1_000; i++) {
      var unused = admission.connect(address("192.0.2.1"));
    }
    admit(admission, "192.0.2.2");
  }

  @Test
  @DisplayName("R-6.7: concurrent connections of one address are capped and given back")
  void capsConnectionsByAddress() throws Exception {
    Admission admission =
        new Admission(config(Rate.OFF, Rate.OFF, 3, 0, 0), () -> nowMs, new Random(1));
    ConnectionGuard first = admit(admission, "2001:db8::1");
    admit(admission, "2001:db8::2");
    admit(admission, "2001:db8::3");
    assertThat(refusal(admission, "2001:db8::4")).isEqualTo(Refusal.IP_CONNECTIONS);
    first.gone();
    first.gone();
    admit(admission, "2001:db8::4");
    assertThat(refusal(admission, "2001:db8::5")).isEqualTo(Refusal.IP_CONNECTIONS);
  }

  @Test
  void socketsThatDoNotSayHelloAreBoundedByAddressAndNode() throws Exception {
    Admission admission =
        new Admission(config(Rate.OFF, Rate.OFF, 0, 5, 2), () -> nowMs, new Random(1));
    ConnectionGuard first = admit(admission, "192.0.2.1");
    admit(admission, "192.0.2.1");
    assertThat(refusal(admission, "192.0.2.1")).isEqualTo(Refusal.IP_AWAITING_HELLO);
    first.helloDone();
    admit(admission, "192.0.2.1");
    admit(admission, "192.0.2.2");
    admit(admission, "192.0.2.3");
    admit(admission, "192.0.2.3");
    assertThat(admission.awaitingHello()).isEqualTo(5);
    assertThat(refusal(admission, "192.0.2.4")).isEqualTo(Refusal.NODE_AWAITING_HELLO);
    first.gone();
    assertThat(admission.awaitingHello()).isEqualTo(5);
  }

  @Test
  void nothingIsLeftOfThoseWhoAreGone() throws Exception {
    Admission admission = admission(Rate.OFF);
    InetAddress peer = address("192.0.2.1");
    assertThat(admission.socket(peer)).isNull();
    ConnectionGuard guard = admit(admission, "192.0.2.1");
    assertThat(admission.addressesHolding()).isEqualTo(1);
    guard.gone();
    admission.socketGone(peer);
    assertThat(admission.addressesHolding()).isZero();
    assertThat(admission.openSockets()).isZero();
    assertThat(admission.awaitingHello()).isZero();
  }

  @Test
  void socketsThatAskForNothingAreBounded() throws Exception {
    Admission admission = admission(Rate.OFF);
    InetAddress slow = address("192.0.2.1");
    for (int i = 0; i < D.httpSocketsIp(); i++) {
      assertThat(admission.socket(slow)).isNull();
    }
    assertThat(admission.socket(slow)).isEqualTo(Refusal.IP_SOCKETS);
    for (int i = 0; i < 300; i++) {
      var unused = admission.socket(slow);
    }
    assertThat(admission.socket(slow)).isEqualTo(Refusal.IP_SOCKET_RATE);
    InetAddress office = address("198.51.100.1");
    while (admission.openSockets() < D.httpSockets()) {
      assertThat(admission.socket(office)).isNull();
    }
    assertThat(admission.crowded(0)).isTrue();
    assertThat(admission.crowded(1)).as("one of them is a WebSocket").isFalse();
  }

  @Test
  @DisplayName("R-6.1: one connection a second and user after a small burst")
  void ratesByUser() {
    Admission admission = admission(Rate.OFF);
    for (int i = 0; i < 5; i++) {
      assertThat(admission.user("alice")).isZero();
    }
    assertThat(admission.user("alice")).isBetween(1_000L, 2_000L);
    assertThat(admission.user("bob")).isZero();
  }

  @Test
  void whoeverWasJudgedBeforeTheUpgradeIsNotJudgedAgain() throws Exception {
    Admission admission = admission(Rate.OFF);
    ConnectionGuard guard = admit(admission, "192.0.2.1");
    guard.userKnown();
    for (int i = 0; i < 20; i++) {
      assertThat(guard.user("alice")).isZero();
    }
  }

  @Test
  void retryAfterIsJitteredAndGrowsWithTheCrowd() throws Exception {
    Admission admission = admission(new Rate(100, 1));
    admit(admission, "198.51.100.1");
    Set<Integer> few = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      few.add(admission.connect(address("198.51.100.1")).retryAfterS());
    }
    assertThat(few).hasSizeGreaterThan(1).allMatch(s -> s >= 1 && s <= 5);
    for (int i = 0; i < 3_000; i++) {
      var unused = admission.connect(address("198.51.100.1"));
    }
    long late = 0;
    for (int i = 0; i < 1_000; i++) {
      late += admission.connect(address("198.51.100.1")).retryAfterS() > 30 ? 1 : 0;
    }
    assertThat(late)
        .as("3000 refused need 30 s at 100/s: half are told more")
        .isBetween(400L, 700L);
    nowMs += 60_000;
    assertThat(admission.nodeRetryS()).isLessThanOrEqualTo(4);
  }

  private Admission admission(Rate node) {
    AdmissionConfig config =
        config(node, D.connectRateIp(), D.maxConnectionsIp(), 0, D.awaitingHelloIp());
    return new Admission(config, () -> nowMs, new Random(1));
  }

  private static AdmissionConfig config(
      Rate node, Rate ip, int perIp, int awaitingHello, int awaitingHelloIp) {
    return new AdmissionConfig(
        node,
        ip,
        D.connectRateUser(),
        D.historyRate(),
        new Networks(List.of(Cidr.parse("198.51.100.0/24"))),
        Networks.NONE,
        perIp,
        awaitingHello,
        awaitingHelloIp,
        D.httpSockets(),
        D.httpSocketsIp(),
        D.newRecipients(),
        D.frameRate(),
        D.byteRate(),
        0);
  }

  private static ConnectionGuard admit(Admission admission, String from)
      throws UnknownHostException {
    Decision decision = admission.connect(address(from));
    assertThat(decision.refusal()).isNull();
    return decision.guard();
  }

  private static @Nullable Refusal refusal(Admission admission, String from)
      throws UnknownHostException {
    return admission.connect(address(from)).refusal();
  }

  private static InetAddress address(String text) throws UnknownHostException {
    return InetAddress.getByName(text);
  }
}
