package dev.holdfast.edge.tls;

import org.jspecify.annotations.Nullable;

/** Certificate and key cannot be used; the message says which file and why. */
public final class BadTlsFiles extends Exception {
  private static final long serialVersionUID = 1L;

  BadTlsFiles(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
