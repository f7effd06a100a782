package dev.holdfast.edge.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginsTest {
  private static final Origins LISTED =
      Origins.only(List.of("https://Chat.example.com", "http://localhost:3000"));

  @ParameterizedTest
  @CsvSource({
    "https://chat.example.com, chat.example.com, true",
    "https://chat.example.com:443, chat.example.com, true",
    "https://chat.example.com, chat.example.com:443, true",
    "http://a:8080, A:8080, true",
    "http://[::1]:8080, [::1]:8080, true",
    "http://a:8081, a:8080, false",
    "http://a, a:8080, false",
    "https://chat.example.com.evil.net, chat.example.com, false",
    "https://evil.net, chat.example.com, false",
    "http://localhost:3000, localhost:8080, false",
    "null, chat.example.com, false",
    "'', chat.example.com, false",
    "https://, chat.example.com, false",
    "https://chat.example.com/, chat.example.com, false",
    "https://u@chat.example.com, chat.example.com, false",
    "chat.example.com, chat.example.com, false"
  })
  void sameHost(String origin, String host, boolean allowed) {
    assertThat(Origins.SAME_HOST.allow(origin, host)).isEqualTo(allowed);
  }

  @Test
  void whoIsNoBrowserIsNotConcerned() {
    assertThat(Origins.SAME_HOST.allow(null, "a")).isTrue();
    assertThat(LISTED.allow(null, null)).isTrue();
    assertThat(Origins.SAME_HOST.allow("http://a", null)).isFalse();
  }

  @Test
  void aListIsExact() {
    assertThat(LISTED.allow("https://chat.example.com", "x")).isTrue();
    assertThat(LISTED.allow("https://chat.example.com:443", "x")).isTrue();
    assertThat(LISTED.allow("http://localhost:3000", "x")).isTrue();
    assertThat(LISTED.allow("http://chat.example.com", "x")).isFalse();
    assertThat(LISTED.allow("https://a.chat.example.com", "x")).isFalse();
    assertThat(LISTED.allow("http://localhost:3001", "x")).isFalse();
    assertThat(LISTED.allow("https://x", "x")).isFalse();
    assertThat(Origins.only(List.of("*")).allow("null", "x")).isTrue();
  }

  @Test
  void developmentTakesPagesOfThisMachine() {
    for (String origin : List.of("http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:5")) {
      assertThat(Origins.LOOPBACK.allow(origin, "127.0.0.1:8080")).isTrue();
    }
    assertThat(Origins.LOOPBACK.allow("http://127.0.0.1.evil.net", "127.0.0.1:8080")).isFalse();
    assertThat(Origins.LOOPBACK.allow("http://localhost.evil.net", "127.0.0.1:8080")).isFalse();
    // A name of a stranger's that his DNS points here.
    assertThat(Origins.LOOPBACK.allow("http://evil.net:8080", "evil.net:8080")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "example.com", "https://a/", "https://*.a", "https://a?x", "null"})
  void whatIsNoOriginIsRefused(String text) {
    assertThatThrownBy(() -> Origins.only(List.of(text))).hasMessageContaining("no origin");
  }
}
