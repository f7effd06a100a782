package dev.holdfast.edge.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** What the two files held at one moment. Immutable. */
final class PemPair {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final List<String> ALGORITHMS = List.of("RSA", "EC");
  private static final char[] NO_PASSWORD = new char[0];

  private final TlsFiles files;
  private final byte[] certificate;
  private final byte[] key;

  private PemPair(TlsFiles files, byte[] certificate, byte[] key) {
    this.files = files;
    this.certificate = certificate;
    this.key = key;
  }

  /** Reads the files, whatever is in them. */
  static PemPair read(TlsFiles files) throws BadTlsFiles {
    return new PemPair(files, bytes(files.certificate()), bytes(files.key()));
  }

  boolean sameAs(PemPair other) {
    return Arrays.equals(certificate, other.certificate) && Arrays.equals(key, other.key);
  }

  /** The server's own certificate: the first. */
  X509Certificate leaf() throws BadTlsFiles {
    return chain().get(0);
  }

  /**
   * What new connections are to be encrypted with.
   *
   * @throws BadTlsFiles when a file is none of what it ought to be, or they do not belong together
   */
  SSLContext context() throws BadTlsFiles {
    List<X509Certificate> chain = chain();
    PrivateKey privateKey = privateKey();
    if (!belongTogether(chain.get(0), privateKey)) {
      throw new BadTlsFiles(
          files.key() + " is not the key of the first certificate in " + files.certificate(), null);
    }
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, NO_PASSWORD);
      store.setKeyEntry("edge", privateKey, NO_PASSWORD, chain.toArray(Certificate[]::new));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, NO_PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new BadTlsFiles(files.certificate() + " cannot be served: " + e.getMessage(), e);
    }
  }

  /** Refuses what every client would refuse. */
  void mustHold(Instant now) throws BadTlsFiles {
    X509Certificate leaf = leaf();
    if (now.isAfter(leaf.getNotAfter().toInstant())) {
      throw new BadTlsFiles(
          files.certificate() + " expired at " + leaf.getNotAfter().toInstant(), null);
    }
    if (now.isBefore(leaf.getNotBefore().toInstant())) {
      throw new BadTlsFiles(
          files.certificate() + " holds only from " + leaf.getNotBefore().toInstant() + " on",
          null);
    }
  }

  private List<X509Certificate> chain() throws BadTlsFiles {
    try {
      List<X509Certificate> chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(certificate))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (chain.isEmpty()) {
        throw new BadTlsFiles(files.certificate() + " holds no PEM certificate", null);
      }
      return chain;
    } catch (GeneralSecurityException e) {
      throw new BadTlsFiles(
          files.certificate() + " is no PEM file of certificates: " + e.getMessage(), e);
    }
  }

  private PrivateKey privateKey() throws BadTlsFiles {
    String text = new String(key, StandardCharsets.US_ASCII);
    Matcher pem = KEY.matcher(text);
    if (!pem.find()) {
      throw new BadTlsFiles(files.key() + " holds no unencrypted PKCS#8 key" + hint(text), null);
    }
    byte[] der;
    try {
      der = Base64.getMimeDecoder().decode(pem.group(1));
    } catch (IllegalArgumentException e) {
      throw new BadTlsFiles(files.key() + " is no base64 between its BEGIN and END lines", e);
    }
    @Nullable GeneralSecurityException last = null;
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException e) {
        last = e; // a key of the other kind, or of none
      }
    }
    throw new BadTlsFiles(files.key() + " holds no RSA and no EC key", last);
  }

  private static String hint(String text) {
    boolean other =
        text.contains("BEGIN RSA PRIVATE KEY")
            || text.contains("BEGIN EC PRIVATE KEY")
            || text.contains("BEGIN ENCRYPTED PRIVATE KEY");
    return other ? "; `openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW` makes one of it" : "";
  }

  /** Whether what the one signs the other confirms. */
  private boolean belongTogether(X509Certificate leaf, PrivateKey privateKey) throws BadTlsFiles {
    boolean rsa = privateKey.getAlgorithm().equals("RSA");
    if (!leaf.getPublicKey().getAlgorithm().equals(privateKey.getAlgorithm())) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
      byte[] probe = "holdfast".getBytes(StandardCharsets.US_ASCII);
      signature.initSign(privateKey);
      signature.update(probe);
      byte[] signed = signature.sign();
      signature.initVerify(leaf.getPublicKey());
      signature.update(probe);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      throw new BadTlsFiles(files.key() + " cannot be used: " + e.getMessage(), e);
    }
  }

  private static byte[] bytes(Path file) throws BadTlsFiles {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new BadTlsFiles(file + " is not there", e);
    } catch (IOException e) {
      throw new BadTlsFiles(file + " cannot be read: " + e, e);
    }
  }
}
