package dev.holdfast.edge.tls;

import java.nio.file.Path;

/**
 * Where certificate and key are.
 *
 * @param certificate PEM: the server's certificate, then those of its issuers up to, not
 *     necessarily with, the root
 * @param key PEM: the certificate's private key, PKCS#8, unencrypted, RSA or EC
 */
public record TlsFiles(Path certificate, Path key) {}
