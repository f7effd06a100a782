package dev.holdfast.standalone.pages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.page.Pages;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardTest {
  private static final String OWN = "http://127.0.0.1:8081";

  private final Guard guard = new Guard(() -> Set.of(OWN, "http://localhost:8081"));

  private static Pages.Request request(String peer, Map<String, String> headers) {
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    all.put("Host", "127.0.0.1:8080");
    all.put("X-Holdfast-Dev", "1");
    all.putAll(headers);
    all.values().removeIf(String::isEmpty);
    try {
      return new Pages.Request(
          "POST", "/dev/flood", all::get, InetAddress.getByName(peer), new byte[0]);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  @DisplayName("programs of this machine, and pages of this process, may")
  void own() {
    assertThat(guard.refusal(request("127.0.0.1", Map.of()))).isNull();
    assertThat(guard.refusal(request("::1", Map.of("Host", "[::1]:8080")))).isNull();
    assertThat(guard.refusal(request("127.0.0.1", Map.of("Host", "LOCALHOST")))).isNull();
    assertThat(guard.refusal(request("127.0.0.1", Map.of("Origin", OWN)))).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.7", "8.8.8.8", "fe80::1"})
  @DisplayName("other machines may not")
  void otherMachines(String peer) {
    assertThat(guard.refusal(request(peer, Map.of()))).contains("machine");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "10.0.0.7",
        "a b",
        "127.0.0.1@evil"
      })
  @DisplayName("a stranger's name that leads here may not")
  void rebound(String host) {
    assertThat(guard.refusal(request("127.0.0.1", Map.of("Host", host)))).contains("name");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"https://evil.example", "http://127.0.0.1:3000", "https://127.0.0.1:8081", "null"})
  @DisplayName("pages of others may not, not even of this machine")
  void foreignPages(String origin) {
    assertThat(guard.refusal(request("127.0.0.1", Map.of("Origin", origin)))).contains("pages");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "true", " 1"})
  @DisplayName("the header must be there, and be 1")
  void header(String value) {
    String name = "x-holdfast-dev".toUpperCase(Locale.ROOT);
    assertThat(guard.refusal(request("127.0.0.1", Map.of(name, value)))).contains("header");
    assertThat(guard.refusal(request("127.0.0.1", Map.of("X-Holdfast-Dev", ""))))
        .contains("header");
  }
}
