package dev.holdfast.edge.auth;

import com.nimbusds.jose.JWSAlgorithm;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that tokens are checked with. Thread-safe; no method blocks. */
interface Keys extends AutoCloseable {
  /** What was found. */
  sealed interface Found {
    /** Keys that fit, perhaps none: then no key will. */
    record These(List<VerifyKey> keys) implements Found {}

    /** It is not known whether there is one. */
    record Unavailable(long retryAfterMs) implements Found {}
  }

  /** Keys that may have signed a token with this header. */
  Found find(@Nullable String kid, JWSAlgorithm algorithm);

  @Override
  default void close() {}

  /** Keys that never change. */
  static Keys fixed(List<VerifyKey> keys) {
    List<VerifyKey> all = List.copyOf(keys);
    return (kid, algorithm) -> new Found.These(fitting(all, kid, algorithm));
  }

  static List<VerifyKey> fitting(
      List<VerifyKey> keys, @Nullable String kid, JWSAlgorithm algorithm) {
    return keys.stream().filter(key -> key.fits(kid, algorithm)).toList();
  }
}
