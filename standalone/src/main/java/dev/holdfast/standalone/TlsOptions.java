package dev.holdfast.standalone;

import dev.holdfast.edge.tls.TlsFiles;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** With what an edge encrypts. */
final class TlsOptions {
  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "PEM file with the certificate and those of its issuers: the port then speaks wss and"
              + " https only, TLS 1.2 or later. Read again when it changes.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description =
          "PEM file with the certificate's private key (PKCS#8, unencrypted, RSA or EC). Read again"
              + " when it changes.")
  private @Nullable Path key;

  /**
   * The files, or null for plain HTTP.
   *
   * @throws IllegalArgumentException when only one is given
   */
  @Nullable TlsFiles files() {
    if (certificate != null && key != null) {
      return new TlsFiles(certificate, key);
    }
    if (certificate != null || key != null) {
      throw new IllegalArgumentException(
          "--tls-cert and --tls-key belong together; "
              + (key == null ? "--tls-key" : "--tls-cert")
              + " is missing");
    }
    return null;
  }
}
