package dev.holdfast.client;

import dev.holdfast.client.rules.Json;

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

  @Override
  public String toString() {
    return text;
  }
}
