package dev.holdfast.edge.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a JSON Web Key Set from a URL or a file. Keys of other kinds, for encryption, or for
 * another algorithm than their kind's are left out, and so are secrets, which nobody publishes.
 */
final class Jwks {
  private static final int MAX_BYTES = 512 * 1024;
  private static final int MAX_KEYS = 64;
  private static final int CONNECT_MS = 5_000;
  private static final int READ_MS = 5_000;
  private static final long ALL_MS = 15_000;
  private static final Logger LOG = LoggerFactory.getLogger(Jwks.class);

  private Jwks() {}

  /** The keys at {@code url}, within 20 s. */
  static List<VerifyKey> fetch(URI url) throws IOException {
    long endNs = System.nanoTime() + ALL_MS * 1_000_000;
    HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MS);
    connection.setReadTimeout(READ_MS);
    connection.setUseCaches(false);
    connection.setRequestProperty("Accept", "application/jwk-set+json, application/json");
    try {
      int status = connection.getResponseCode();
      if (status != HttpURLConnection.HTTP_OK) {
        throw new IOException("HTTP status " + status);
      }
      try (InputStream in = connection.getInputStream()) {
        return parse(read(in, endNs));
      }
    } finally {
      connection.disconnect();
    }
  }

  /** The keys in {@code file}. */
  static List<VerifyKey> read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return parse(read(in, Long.MAX_VALUE));
    }
  }

  /** Whoever sends a byte now and then is given up as well. */
  private static byte[] read(InputStream in, long endNs) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] chunk = new byte[8 * 1024];
    for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
      all.write(chunk, 0, n);
      if (all.size() > MAX_BYTES) {
        throw new IOException("more than " + MAX_BYTES + " bytes");
      }
      if (endNs != Long.MAX_VALUE && System.nanoTime() - endNs > 0) {
        throw new IOException("not complete after " + ALL_MS + " ms");
      }
    }
    return all.toByteArray();
  }

  private static List<VerifyKey> parse(byte[] json) throws IOException {
    JWKSet set;
    try {
      set = JWKSet.parse(new String(json, StandardCharsets.UTF_8));
    } catch (ParseException | RuntimeException e) {
      throw new IOException("no JSON Web Key Set", e);
    }
    if (set.getKeys().size() > MAX_KEYS) {
      throw new IOException("more than " + MAX_KEYS + " keys");
    }
    List<VerifyKey> keys = new ArrayList<>();
    for (JWK jwk : set.getKeys()) {
      take(jwk, keys);
    }
    return keys;
  }

  private static void take(JWK jwk, List<VerifyKey> keys) {
    if (!(jwk instanceof AsymmetricJWK pair)
        || (jwk.getKeyUse() != null && !KeyUse.SIGNATURE.equals(jwk.getKeyUse()))) {
      return;
    }
    try {
      VerifyKey key = VerifyKey.publicKey(jwk.getKeyID(), pair.toPublicKey());
      if (jwk.getAlgorithm() == null || jwk.getAlgorithm().equals(key.algorithm())) {
        keys.add(key);
      }
    } catch (JOSEException | IllegalArgumentException e) {
      LOG.atDebug().log("a key of the set is left out: {}", e.getMessage());
    }
  }
}
