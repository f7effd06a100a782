package dev.holdfast.client.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Reads whose a token is; checking it is the server's part. */
public final class Tokens {
  private Tokens() {}

  /** The {@code sub} of a JWT; null when the text is none. */
  public static @Nullable String user(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != 3) {
      return null;
    }
    try {
      byte[] claims = Base64.getUrlDecoder().decode(parts[1]);
      JsonNode sub = Json.read(new String(claims, StandardCharsets.UTF_8)).path("sub");
      return sub.isTextual() ? sub.asText() : null;
    } catch (IllegalArgumentException e) {
      return null; // no JWT: the server will say so
    }
  }
}
