package dev.holdfast.edge.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTokensTest {
  private static final byte[] OLD = Jwts.bytes("o".repeat(32));
  private static final byte[] NEW = Jwts.bytes("n".repeat(32));

  @Test
  void whatOneEdgeIssuesAnotherReads() {
    String token = new SessionTokens(List.of(OLD)).issue("ann", "phone", "e/1");
    assertThat(new SessionTokens(List.of(OLD)).read(token))
        .isEqualTo(new SessionTokens.Claim("ann", "phone", "e/1"));
    assertThat(token).doesNotContain("ann");
  }

  @Test
  void aNewFirstKeySignsAndTheOldOneStillReads() {
    SessionTokens before = new SessionTokens(List.of(OLD));
    SessionTokens during = new SessionTokens(List.of(NEW, OLD));
    SessionTokens after = new SessionTokens(List.of(NEW));
    assertThat(during.read(before.issue("a", "c", "e"))).isNotNull();
    assertThat(after.read(during.issue("a", "c", "e"))).isNotNull();
    assertThat(after.read(before.issue("a", "c", "e"))).isNull();
    assertThat(before.read(during.issue("a", "c", "e"))).isNull();
  }

  @Test
  void aChangedOrUnsignedTokenIsNotRead() {
    SessionTokens tokens = new SessionTokens(List.of(OLD));
    String good = tokens.issue("ann", "phone", "e");
    String other = tokens.issue("bob", "phone", "e");
    String mixed = other.substring(0, other.indexOf('.')) + good.substring(good.indexOf('.'));
    assertThat(tokens.read(mixed)).isNull();
    assertThat(tokens.read(good.substring(0, good.indexOf('.')))).isNull();
    assertThat(tokens.read(good + "A")).isNull();
    assertThat(tokens.read(good.substring(0, good.length() - 4))).isNull();
    assertThat(tokens.read(SessionTokens.UNSIGNED.issue("ann", "phone", "e"))).isNull();
    assertThat(tokens.read("..")).isNull();
    assertThat(tokens.read("\u00e4.\u00e4")).isNull();
    assertThat(SessionTokens.UNSIGNED.read(good)).isNull();
  }

  @Test
  void aDerivedKeyIsNotTheSecret() {
    assertThat(SessionTokens.derive(OLD)).hasSize(32).isNotEqualTo(OLD);
    assertThat(SessionTokens.derive(OLD)).isEqualTo(SessionTokens.derive(OLD.clone()));
  }
}
