package dev.holdfast.edge.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes and reads {@code sessionToken}s: whose connection it was and which mailbox it saw, so that
 * a hello that mixes up clients is noticed. Any edge with the same keys reads what another made.
 *
 * <p>A token grants nothing and names only what its owner said himself. So one that cannot be read
 * (another key, another format, forged) counts as absent, never as an error: keys may change, and a
 * change must not cost every client its resume. Without keys a token has no signature; there it
 * still shows a mix-up, which is what it is for.
 *
 * <p>Format: {@code base64url(user/clientId/epoch)}, and with keys {@code .base64url(HMAC-SHA256)}.
 * Thread-safe.
 */
public final class SessionTokens {
  /** Tokens without signature. */
  public static final SessionTokens UNSIGNED = new SessionTokens(List.of());

  /** Longest token that is looked at, in characters. */
  private static final int MAX_TOKEN = 1_024;

  private static final String CONTEXT = "holdfast session token 1\n";
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  private final List<SecretKeySpec> keys;

  /** What a token names. */
  public record Claim(String user, String clientId, String epoch) {}

  /**
   * @param keys the first signs, all verify; none: no signature
   */
  public SessionTokens(List<byte[]> keys) {
    this.keys = keys.stream().map(key -> new SecretKeySpec(key, "HmacSHA256")).toList();
  }

  /** Whether tokens are signed. */
  public boolean signed() {
    return !keys.isEmpty();
  }

  /** A token for the client to give back. */
  public String issue(String user, String clientId, String epoch) {
    String text = user + '/' + clientId + '/' + epoch;
    String body = ENCODER.encodeToString(text.getBytes(StandardCharsets.UTF_8));
    return signed() ? body + '.' + ENCODER.encodeToString(mac(keys.get(0), body)) : body;
  }

  /** What {@code token} names; null when none of the keys has signed it. */
  public @Nullable Claim read(@Nullable String token) {
    if (token == null || token.length() > MAX_TOKEN) {
      return null;
    }
    int dot = token.indexOf('.');
    if (signed() != dot >= 0) {
      return null;
    }
    try {
      String body = dot < 0 ? token : token.substring(0, dot);
      boolean good = dot < 0 || signedByOneOf(body, DECODER.decode(token.substring(dot + 1)));
      return good ? claim(new String(DECODER.decode(body), StandardCharsets.UTF_8)) : null;
    } catch (IllegalArgumentException e) {
      return null; // not base64url
    }
  }

  private static @Nullable Claim claim(String text) {
    String[] parts = text.split("/", 3);
    return parts.length == 3 ? new Claim(parts[0], parts[1], parts[2]) : null;
  }

  private boolean signedByOneOf(String body, byte[] signature) {
    boolean good = false;
    for (SecretKeySpec key : keys) {
      good |= MessageDigest.isEqual(mac(key, body), signature);
    }
    return good;
  }

  private static byte[] mac(SecretKeySpec key, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(CONTEXT.getBytes(StandardCharsets.US_ASCII));
      return mac.doFinal(body.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /** A key for session tokens made of a secret that is used for something else. */
  static byte[] derive(byte[] secret) {
    return mac(new SecretKeySpec(secret, "HmacSHA256"), "derived key");
  }
}
