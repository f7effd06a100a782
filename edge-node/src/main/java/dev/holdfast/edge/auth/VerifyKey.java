package dev.holdfast.edge.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A key with the one algorithm that it may be used with. The algorithm comes from the kind of key,
 * never from a token, so a public key is never taken for a secret and {@code none} is no algorithm.
 *
 * @param kid the name that tokens may give the key by; null when it has none
 */
record VerifyKey(@Nullable String kid, JWSAlgorithm algorithm, JWSVerifier verifier) {
  /** Fewest bytes of a secret: as many as the digest has. */
  static final int LEAST_SECRET_BYTES = 32;

  private static final int LEAST_RSA_BITS = 2048;

  /**
   * A secret for HS256.
   *
   * @throws IllegalArgumentException when it is too short
   */
  static VerifyKey secret(byte[] secret) {
    if (secret.length < LEAST_SECRET_BYTES) {
      throw new IllegalArgumentException(
          "a secret of "
              + secret.length
              + " bytes is too short, HS256 needs at least "
              + LEAST_SECRET_BYTES);
    }
    try {
      return new VerifyKey(null, JWSAlgorithm.HS256, new MACVerifier(secret));
    } catch (JOSEException e) {
      throw new IllegalArgumentException("no secret for HS256: " + e.getMessage(), e);
    }
  }

  /**
   * A public key: RSA for RS256, P-256 for ES256.
   *
   * @throws IllegalArgumentException for any other, or one that is too short
   */
  static VerifyKey publicKey(@Nullable String kid, PublicKey key) {
    if (key instanceof RSAPublicKey rsa) {
      int bits = rsa.getModulus().bitLength();
      if (bits < LEAST_RSA_BITS) {
        throw new IllegalArgumentException(
            "an RSA key of " + bits + " bits is too short, at least " + LEAST_RSA_BITS);
      }
      return new VerifyKey(kid, JWSAlgorithm.RS256, new RSASSAVerifier(rsa));
    }
    if (key instanceof ECPublicKey ec
        && Curve.P_256.equals(Curve.forECParameterSpec(ec.getParams()))) {
      try {
        return new VerifyKey(kid, JWSAlgorithm.ES256, new ECDSAVerifier(ec));
      } catch (JOSEException e) {
        throw new IllegalArgumentException("no key for ES256: " + e.getMessage(), e);
      }
    }
    throw new IllegalArgumentException("only RSA keys and EC keys on P-256 are taken");
  }

  /** Whether a token with this header may be checked with the key. */
  boolean fits(@Nullable String tokenKid, JWSAlgorithm tokenAlgorithm) {
    return algorithm.equals(tokenAlgorithm)
        && (kid == null || tokenKid == null || kid.equals(tokenKid));
  }

  @Override
  public String toString() {
    return algorithm + " key " + (kid == null ? "without name" : kid);
  }
}
