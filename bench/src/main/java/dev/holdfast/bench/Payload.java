package dev.holdfast.bench;

/** A payload of about 256 bytes that says when it was due. */
final class Payload {
  private static final String PAD = "x".repeat(220);

  private Payload() {}

  static String with(long dueNanos) {
    return "{\"due\":" + dueNanos + ",\"text\":\"" + PAD + "\"}";
  }
}
