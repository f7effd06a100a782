package dev.holdfast.edge.auth;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Makes tokens by hand, also such as no library would make. Quotes are written as '. */
public final class Jwts {
  /** Seconds since 1970 at which the tests' clocks stand. */
  public static final long NOW_S = 1_800_000_000;

  public static final byte[] SECRET = bytes("0123456789abcdef0123456789abcdef");

  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  private Jwts() {}

  /** HS256 under {@link #SECRET}, an hour long, with further claims like {@code ,'nbf':1}. */
  public static String token(String user, String moreClaims) {
    return hs256(SECRET, claims(user, NOW_S + 3_600, moreClaims));
  }

  public static String claims(String user, long exp, String more) {
    return "{'sub':'" + user + "','exp':" + exp + more + "}";
  }

  public static String hs256(byte[] secret, String claims) {
    return hmac(secret, "{'alg':'HS256'}", claims);
  }

  /** With any header, signed by HMAC-SHA256. */
  public static String hmac(byte[] secret, String header, String claims) {
    String body = body(header, claims);
    return body + "." + BASE64.encodeToString(mac(secret, body));
  }

  public static String rs256(PrivateKey key, String kid, String claims) {
    return signed("SHA256withRSA", key, "{'alg':'RS256','kid':'" + kid + "'}", claims);
  }

  public static String es256(PrivateKey key, String kid, String claims) {
    return signed(
        "SHA256withECDSAinP1363Format", key, "{'alg':'ES256','kid':'" + kid + "'}", claims);
  }

  public static String signed(String algorithm, PrivateKey key, String header, String claims) {
    String body = body(header, claims);
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(bytes(body));
      return body + "." + BASE64.encodeToString(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public static String body(String header, String claims) {
    return BASE64.encodeToString(bytes(header.replace('\'', '"')))
        + "."
        + BASE64.encodeToString(bytes(claims.replace('\'', '"')));
  }

  public static KeyPair rsa(int bits) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(bits);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  public static KeyPair ec(String curve) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(curve));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As {@code openssl} writes it. */
  public static String pem(String kind, byte[] der) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, bytes("\n")).encodeToString(der)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] mac(byte[] secret, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return mac.doFinal(bytes(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
