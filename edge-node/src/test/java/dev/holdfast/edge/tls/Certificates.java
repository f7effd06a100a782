package dev.holdfast.edge.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Certificates of their own issue, made with the JDK's keytool. */
public final class Certificates {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private Certificates() {}

  /** Writes a certificate for localhost and its key, both PEM. */
  public static TlsFiles write(Path dir, String name, String algorithm) throws Exception {
    return write(dir, name, algorithm, "-validity", "2");
  }

  static TlsFiles write(Path dir, String name, String algorithm, String... more) throws Exception {
    Path store = Files.createTempDirectory(dir, "store").resolve(name + ".p12");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "edge",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD)));
    command.addAll(List.of(more));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
      throw new IOException("keytool: " + said);
    }
    return export(store, dir.resolve(name + ".crt"), dir.resolve(name + ".key"));
  }

  private static TlsFiles export(Path store, Path certificate, Path key)
      throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
    Certificate cert = keys.getCertificate("edge");
    Key secret = keys.getKey("edge", PASSWORD);
    Files.writeString(certificate, pem("CERTIFICATE", cert.getEncoded()));
    Files.writeString(key, pem("PRIVATE KEY", secret.getEncoded()));
    return new TlsFiles(certificate, key);
  }

  private static String pem(String what, byte[] der) {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n";
  }
}
