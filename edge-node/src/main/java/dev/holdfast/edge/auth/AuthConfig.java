package dev.holdfast.edge.auth;

import java.net.URI;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may come in.
 *
 * @param jwt how tokens are checked; null: everybody is who he says he is
 * @param sessionKeys keys for session tokens; none: made of the secrets for tokens, where there are
 *     such
 * @param origins which web pages may connect
 */
public record AuthConfig(@Nullable Jwt jwt, List<byte[]> sessionKeys, Origins origins) {
  /** Everybody is who he says he is. */
  public static final AuthConfig OFF = new AuthConfig(null, List.of(), Origins.SAME_HOST);

  /** {@link #OFF} for development on one machine. */
  public static final AuthConfig DEV = new AuthConfig(null, List.of(), Origins.LOOPBACK);

  /**
   * Checks of tokens.
   *
   * @param issuer what {@code iss} must be; null: not checked
   * @param audience what {@code aud} must contain; null: not checked
   * @param leewayMs by how much clocks may differ
   */
  public record Jwt(
      KeyPlace keys, @Nullable String issuer, @Nullable String audience, long leewayMs) {}

  /** Where the keys for tokens are. */
  public sealed interface KeyPlace {
    /** Secrets for HS256. */
    record Secrets(List<byte[]> secrets) implements KeyPlace {}

    /** Public keys for RS256 or ES256. */
    record PublicKeys(List<PublicKey> keys) implements KeyPlace {}

    /** A key set that is read again and again. */
    record JwksFile(Path file) implements KeyPlace {}

    /** A key set that is fetched again and again; http or https. */
    record JwksUrl(URI url) implements KeyPlace {}
  }

  public AuthConfig {
    sessionKeys = List.copyOf(sessionKeys);
  }

  /** The keys for session tokens; none: they are not signed. */
  public List<byte[]> effectiveSessionKeys() {
    if (sessionKeys.isEmpty() && jwt != null && jwt.keys() instanceof KeyPlace.Secrets from) {
      return from.secrets().stream().map(SessionTokens::derive).toList();
    }
    return sessionKeys;
  }
}
