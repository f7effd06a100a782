package dev.holdfast.edge.auth;

import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may come in, at work: what sessions and HTTP endpoints ask. Thread-safe.
 *
 * @param tokens checks tokens; null: everybody is who he says he is
 */
public record Access(@Nullable TokenVerifier tokens, SessionTokens sessionTokens, Origins origins)
    implements AutoCloseable {
  /** Everybody is who he says he is. */
  public static final Access OPEN = new Access(null, SessionTokens.UNSIGNED, Origins.SAME_HOST);

  private static final Logger LOG = LoggerFactory.getLogger(Access.class);

  /**
   * Begins to fetch keys where they are to be fetched; close it to end that.
   *
   * @param clock the wall clock, which tokens are compared with
   * @param ticker monotonic milliseconds
   */
  public static Access of(AuthConfig config, InstantSource clock, LongSupplier ticker) {
    AuthConfig.Jwt jwt = config.jwt();
    TokenVerifier tokens =
        jwt == null
            ? null
            : new TokenVerifier(
                keys(jwt.keys(), ticker), jwt.issuer(), jwt.audience(), jwt.leewayMs(), clock);
    SessionTokens sessionTokens = new SessionTokens(config.effectiveSessionKeys());
    if (tokens != null && !sessionTokens.signed()) {
      LOG.atWarn()
          .log(
              "session tokens are not signed; --session-key-file, the same on all edges, signs"
                  + " them");
    }
    return new Access(tokens, sessionTokens, config.origins());
  }

  private static Keys keys(KeyPlace place, LongSupplier ticker) {
    if (place instanceof KeyPlace.Secrets secrets) {
      return Keys.fixed(secrets.secrets().stream().map(VerifyKey::secret).toList());
    }
    if (place instanceof KeyPlace.PublicKeys keys) {
      return Keys.fixed(keys.keys().stream().map(key -> VerifyKey.publicKey(null, key)).toList());
    }
    RefreshedKeys.Source source;
    RefreshedKeys.Pace pace;
    String name;
    if (place instanceof KeyPlace.JwksFile file) {
      source = () -> Jwks.read(file.file());
      pace = RefreshedKeys.Pace.FILE;
      name = file.file().toString();
    } else if (place instanceof KeyPlace.JwksUrl url) {
      source = () -> Jwks.fetch(url.url());
      pace = RefreshedKeys.Pace.URL;
      int port = url.url().getPort();
      name = url.url().getHost() + (port < 0 ? "" : ":" + port) + url.url().getPath();
    } else {
      throw new IllegalArgumentException("unknown place of keys");
    }
    return new RefreshedKeys(name, source, pace, ticker).start();
  }

  /** Whether tokens are asked for. */
  public boolean on() {
    return tokens != null;
  }

  @Override
  public void close() {
    if (tokens != null) {
      tokens.close();
    }
  }
}
