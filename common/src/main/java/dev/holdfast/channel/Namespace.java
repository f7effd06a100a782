package dev.holdfast.channel;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One topic as channels: {@code prefix:key} is the key {@code key} of the topic (D11). Written as
 * {@code prefix[:topic=T][:mode=stream|latest][:format=json|text|base64]
 * [:publish=clients|backends|none][:keys=murmur2|crc32][:private]}.
 *
 * @param prefix what the names of its channels begin with
 * @param topic the topic; never one of Holdfast's own or of Kafka's
 * @param mode what a subscriber is sent
 * @param format what the topic's values are
 * @param publish who may write to it through an edge
 * @param keys how its writers choose a record's partition
 * @param open whether everybody may read it; otherwise only who holds a token that says so
 */
public record Namespace(
    String prefix,
    String topic,
    Mode mode,
    Format format,
    Publishers publish,
    KeyHash keys,
    boolean open) {

  /** What a subscriber is sent. */
  public enum Mode {
    /** Every event, in order. */
    STREAM,
    /** The newest event, then changes; one that is overtaken before it was sent is left out. */
    LATEST
  }

  /** What the values in the topic are, so that they can become a {@code payload}. */
  public enum Format {
    /** JSON, passed on as it was written. */
    JSON,
    /** UTF-8 text, passed on as a JSON string. */
    TEXT,
    /** Any bytes, passed on as a JSON string in base64 (RFC 4648, 4). */
    BASE64
  }

  /** Who may write to the topic through an edge. */
  public enum Publishers {
    CLIENTS,
    BACKENDS,
    NONE
  }

  /** How the topic's writers hash a key. */
  public enum KeyHash {
    /** Kafka's own clients. */
    MURMUR2,
    /** librdkafka and what is built on it, unless told otherwise. */
    CRC32
  }

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");

  public Namespace {
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "a namespace's prefix has 1-64 characters of [A-Za-z0-9._-], not '" + prefix + "'");
    }
    if (!TOPIC.matcher(topic).matches()) {
      throw new IllegalArgumentException(
          "a topic has 1-249 characters of [A-Za-z0-9._-], not '" + topic + "'");
    }
    if (topic.startsWith("__") || topic.startsWith("holdfast.")) {
      throw new IllegalArgumentException(
          "topic " + topic + " is internal and cannot be a namespace");
    }
    if (publish != Publishers.NONE && format != Format.JSON) {
      throw new IllegalArgumentException(
          "namespace " + prefix + ": who publishes through an edge writes JSON, so format=json");
    }
  }

  /**
   * Reads what an operator wrote.
   *
   * @throws IllegalArgumentException naming what is wrong
   */
  public static Namespace parse(String text) {
    String[] parts = text.split(":", -1);
    String topic = parts[0];
    Mode mode = Mode.STREAM;
    Format format = Format.JSON;
    Publishers publish = Publishers.NONE;
    KeyHash keys = KeyHash.MURMUR2;
    boolean open = true;
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      String name = equals < 0 ? parts[i] : parts[i].substring(0, equals);
      String value = equals < 0 ? "" : parts[i].substring(equals + 1);
      switch (name) {
        case "topic" -> topic = value;
        case "mode" -> mode = one(Mode.class, name, value);
        case "format" -> format = one(Format.class, name, value);
        case "publish" -> publish = one(Publishers.class, name, value);
        case "keys" -> keys = one(KeyHash.class, name, value);
        case "private" -> open = false;
        default ->
            throw new IllegalArgumentException(
                "'" + parts[i] + "' is none of topic=, mode=, format=, publish=, keys=, private");
      }
    }
    return new Namespace(parts[0], topic, mode, format, publish, keys, open);
  }

  private static <E extends Enum<E>> E one(Class<E> type, String name, String value) {
    StringBuilder known = new StringBuilder();
    for (E constant : type.getEnumConstants()) {
      String wire = constant.name().toLowerCase(Locale.ROOT);
      if (wire.equals(value)) {
        return constant;
      }
      known.append(known.length() == 0 ? "" : ", ").append(wire);
    }
    throw new IllegalArgumentException(name + " must be one of " + known + ", not '" + value + "'");
  }
}
