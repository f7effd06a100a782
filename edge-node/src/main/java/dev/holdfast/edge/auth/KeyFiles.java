package dev.holdfast.edge.auth;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads keys from files. What it throws names the file and is a sentence for the operator. */
public final class KeyFiles {
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private KeyFiles() {}

  /**
   * Secrets, one a line; a file that is not all printable text is one secret, byte for byte.
   *
   * @throws IllegalArgumentException when it cannot be read, has none, or one is too short
   */
  public static List<byte[]> secrets(Path file) {
    byte[] all = bytes(file);
    List<byte[]> secrets = new ArrayList<>();
    if (printable(all)) {
      new String(all, StandardCharsets.US_ASCII)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .forEach(line -> secrets.add(line.getBytes(StandardCharsets.US_ASCII)));
    } else {
      secrets.add(all);
    }
    if (secrets.isEmpty()) {
      throw new IllegalArgumentException(file + " is empty");
    }
    for (byte[] secret : secrets) {
      if (secret.length < VerifyKey.LEAST_SECRET_BYTES) {
        throw new IllegalArgumentException(
            file
                + " has a secret of "
                + secret.length
                + " bytes; at least "
                + VerifyKey.LEAST_SECRET_BYTES
                + " are needed, make one with: openssl rand -base64 48");
      }
    }
    return secrets;
  }

  /**
   * Public keys in PEM, also those of certificates.
   *
   * @throws IllegalArgumentException when it cannot be read, has none, or one cannot be used
   */
  public static List<PublicKey> publicKeys(Path file) {
    Matcher blocks = PEM.matcher(new String(bytes(file), StandardCharsets.ISO_8859_1));
    List<PublicKey> keys = new ArrayList<>();
    while (blocks.find()) {
      keys.add(publicKey(file, blocks.group(1), blocks.group(2)));
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(file + " has no -----BEGIN PUBLIC KEY-----");
    }
    return keys;
  }

  private static PublicKey publicKey(Path file, String kind, String base64) {
    if (kind.endsWith("PRIVATE KEY")) {
      throw new IllegalArgumentException(
          file + " has a private key; an edge needs the public one only: openssl pkey -pubout");
    }
    try {
      byte[] der = Base64.getMimeDecoder().decode(base64);
      PublicKey key =
          switch (kind) {
            case "PUBLIC KEY" -> decoded(der);
            case "CERTIFICATE" ->
                CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(der))
                    .getPublicKey();
            default -> throw new IllegalArgumentException("a block " + kind + " is not understood");
          };
      VerifyKey unused = VerifyKey.publicKey(null, key);
      return key;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static PublicKey decoded(byte[] der) throws GeneralSecurityException {
    X509EncodedKeySpec spec = new X509EncodedKeySpec(der);
    try {
      return KeyFactory.getInstance("RSA").generatePublic(spec);
    } catch (InvalidKeySpecException e) {
      return KeyFactory.getInstance("EC").generatePublic(spec);
    }
  }

  private static boolean printable(byte[] bytes) {
    for (byte b : bytes) {
      if ((b < 0x20 || b > 0x7e) && b != '\n' && b != '\r' && b != '\t') {
        return false;
      }
    }
    return true;
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read " + file + ": " + e, e);
    }
  }
}
