package dev.holdfast.edge.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworksTest {
  private static final Networks PROXIES =
      new Networks(List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("2001:db8:1::/48")));

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.1.2, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "192.168.128.0/17, 192.168.255.255, true",
    "192.168.128.0/17, 192.168.127.255, false",
    "203.0.113.7, 203.0.113.7, true",
    "203.0.113.7, 203.0.113.8, false",
    "0.0.0.0/0, 8.8.8.8, true",
    "0.0.0.0/0, ::1, false",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::ffff:10.0.0.0/8, 10.1.1.1, true"
  })
  void contains(String network, String address, boolean inside) throws Exception {
    assertThat(Cidr.parse(network).contains(InetAddress.getByName(address))).isEqualTo(inside);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "10.0.0/8",
        "10.0.0.0/33",
        "10.0.0.0/x",
        "1.2.3.4.5",
        "::/129",
        "256.1.1.1",
        "10.0.0.0/-1",
        "fe80::1%eth0",
        "/8"
      })
  void refusesWhatIsNoNetwork(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Cidr.parse(text))
        .withMessageContaining("'" + text + "' is no network");
  }

  @Test
  void believesOnlyProxiesOfOurs() throws Exception {
    assertThat(origin("203.0.113.9", "1.2.3.4")).isEqualTo("203.0.113.9");
    assertThat(origin("10.0.0.1", "1.2.3.4")).isEqualTo("1.2.3.4");
    assertThat(origin("10.0.0.1")).isEqualTo("10.0.0.1");
  }

  @Test
  void takesTheRightmostHopThatIsNoProxyOfOurs() throws Exception {
    assertThat(origin("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.9.9.9")).isEqualTo("1.2.3.4");
    assertThat(origin("10.0.0.1", "6.6.6.6", "1.2.3.4", "10.9.9.9, 10.8.8.8")).isEqualTo("1.2.3.4");
    assertThat(origin("10.0.0.1", "10.3.3.3,10.2.2.2")).as("all are ours").isEqualTo("10.3.3.3");
  }

  @Test
  void readsTheFormsThatProxiesWriteAndStopsAtAnythingElse() throws Exception {
    assertThat(origin("10.0.0.1", "1.2.3.4:5678")).isEqualTo("1.2.3.4");
    assertThat(origin("10.0.0.1", "[2001:db8:2::7]:443")).isEqualTo("2001:db8:2:0:0:0:0:7");
    assertThat(origin("10.0.0.1", "2001:db8:2::7")).isEqualTo("2001:db8:2:0:0:0:0:7");
    assertThat(origin("10.0.0.1", "1.2.3.4, unknown")).isEqualTo("10.0.0.1");
    assertThat(origin("10.0.0.1", "1.2.3.4, example.org, 10.7.7.7")).isEqualTo("10.7.7.7");
    assertThat(origin("10.0.0.1", "")).isEqualTo("10.0.0.1");
    assertThat(origin("10.0.0.1", "1.2.3.4,")).isEqualTo("10.0.0.1");
    assertThat(origin("10.0.0.1", "[::1")).isEqualTo("10.0.0.1");
  }

  @Test
  void aSubscriberIsAnIpv4AddressOrAnIpv6Network() throws Exception {
    assertThat(key("2001:db8:1:2:ffff::1")).isEqualTo(key("2001:db8:1:2::9"));
    assertThat(key("2001:db8:1:2::1")).isNotEqualTo(key("2001:db8:1:3::1"));
    assertThat(key("1.2.3.4")).isNotEqualTo(key("1.2.3.5"));
    assertThat(key("::ffff:1.2.3.4")).isEqualTo(key("1.2.3.4"));
    assertThat(key("64:ff9b::1.2.3.4")).as("NAT64").isEqualTo(key("1.2.3.4"));
    assertThat(key("0.0.0.0")).isNotEqualTo(Occupancy.UNCOUNTED);
  }

  private static String origin(String peer, String... forwardedFor) throws UnknownHostException {
    return PROXIES.origin(InetAddress.getByName(peer), List.of(forwardedFor)).getHostAddress();
  }

  private static long key(String address) throws UnknownHostException {
    return Addresses.key(InetAddress.getByName(address));
  }
}
