package dev.holdfast.edge.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.holdfast.id.Names;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks JSON Web Tokens: first the signature, with a key whose kind pins the algorithm, and only
 * then what the token says. Thread-safe; does not block and writes nothing to a log.
 */
public final class TokenVerifier implements AutoCloseable {
  /** Longest token, in characters. */
  public static final int MAX_TOKEN = 8 * 1024;

  private static final Verdict.Rejected MALFORMED = new Verdict.Rejected("this is no signed JWT");
  private static final Verdict.Rejected BAD_SIGNATURE =
      new Verdict.Rejected("no key of this server has signed the token");

  private final Keys keys;
  private final @Nullable String issuer;
  private final @Nullable String audience;
  private final long leewayMs;
  private final InstantSource clock;

  /**
   * @param issuer what {@code iss} must be; null: whatever it is
   * @param audience what {@code aud} must be or contain; null: whatever it is
   * @param leewayMs by how much clocks may differ, for {@code exp} and {@code nbf}
   */
  TokenVerifier(
      Keys keys,
      @Nullable String issuer,
      @Nullable String audience,
      long leewayMs,
      InstantSource clock) {
    this.keys = keys;
    this.issuer = issuer;
    this.audience = audience;
    this.leewayMs = leewayMs;
    this.clock = clock;
  }

  /** Judges a token in its compact form. */
  public Verdict verify(String token) {
    if (token.length() > MAX_TOKEN) {
      return new Verdict.Rejected("the token has more than " + MAX_TOKEN + " characters");
    }
    SignedJWT jwt;
    try {
      jwt = SignedJWT.parse(token);
    } catch (ParseException | RuntimeException e) {
      // The parser throws both kinds for what strangers send; either way it is no token.
      return MALFORMED;
    }
    JWSAlgorithm algorithm = jwt.getHeader().getAlgorithm();
    Keys.Found found = keys.find(jwt.getHeader().getKeyID(), algorithm);
    if (found instanceof Keys.Found.Unavailable later) {
      return new Verdict.Unavailable(later.retryAfterMs());
    }
    List<VerifyKey> candidates = ((Keys.Found.These) found).keys();
    return signedByOneOf(candidates, jwt) ? claims(jwt) : BAD_SIGNATURE;
  }

  private static boolean signedByOneOf(List<VerifyKey> candidates, SignedJWT jwt) {
    for (VerifyKey key : candidates) {
      if (signedBy(key, jwt)) {
        return true;
      }
    }
    return false;
  }

  private static boolean signedBy(VerifyKey key, SignedJWT jwt) {
    try {
      return jwt.verify(key.verifier());
    } catch (JOSEException e) {
      return false; // of the wrong form for this key, so not made with it
    }
  }

  private Verdict claims(SignedJWT jwt) {
    try {
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      if (claims == null) {
        return MALFORMED;
      }
      String wrong = wrong(claims);
      String user = claims.getSubject();
      Date expires = claims.getExpirationTime();
      if (wrong != null || user == null || expires == null) {
        return new Verdict.Rejected(wrong == null ? "sub and exp are required" : wrong);
      }
      Grants grants = Grants.of(claims.getClaim("holdfast"));
      return new Verdict.Accepted(new Credential(user, ends(expires), grants));
    } catch (ParseException e) {
      return new Verdict.Rejected("the token's claims cannot be read");
    } catch (IllegalArgumentException e) {
      return new Verdict.Rejected(String.valueOf(e.getMessage()));
    }
  }

  /** What is wrong with the registered claims, or null. */
  private @Nullable String wrong(JWTClaimsSet claims) {
    long nowMs = clock.millis();
    Date expires = claims.getExpirationTime();
    Date notBefore = claims.getNotBeforeTime();
    if (!Names.valid(claims.getSubject())) {
      return "sub must be a user's name: 1-128 characters of [A-Za-z0-9._~@:-]";
    }
    if (expires == null) {
      return "the token has no exp";
    }
    if (ends(expires) <= nowMs) {
      return "the token has expired";
    }
    if (notBefore != null && notBefore.toInstant().toEpochMilli() - leewayMs > nowMs) {
      return "the token is not valid yet";
    }
    if (issuer != null && !issuer.equals(claims.getIssuer())) {
      return "iss is not the issuer that this server takes tokens of";
    }
    if (audience != null && !claims.getAudience().contains(audience)) {
      return "aud does not name this server";
    }
    return null;
  }

  private long ends(Date expires) {
    return Math.min(expires.toInstant().toEpochMilli(), Long.MAX_VALUE - leewayMs) + leewayMs;
  }

  @Override
  public void close() {
    keys.close();
  }
}
