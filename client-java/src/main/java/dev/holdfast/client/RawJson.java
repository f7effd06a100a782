package dev.holdfast.client;

import dev.holdfast.client.rules.Json;
import org.jspecify.annotations.Nullable;

/** A payload that is JSON already, and goes out byte for byte. */
public final class RawJson {
  private final String text;

  private RawJson(String text) {
    this.text = text;
  }

  /**
   * Takes a text.
   *
   * @throws IllegalArgumentException when it is no JSON
   */
  public static RawJson of(String text) {
    Json.read(text);
    return new RawJson(text);
  }

  /** Any payload as JSON; fails as Jackson does where it cannot be written. */
  static String textOf(@Nullable Object payload) {
    if (payload instanceof RawJson raw) {
      return raw.text;
    }
    return payload == null ? "null" : Json.write(payload);
  }

  @Override
  public String toString() {
    return text;
  }
}
