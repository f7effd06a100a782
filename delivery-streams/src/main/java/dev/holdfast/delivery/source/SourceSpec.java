package dev.holdfast.delivery.source;

import dev.holdfast.id.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One topic of the user's whose records become messages.
 *
 * @param topic its name; key = user
 * @param from the sender that the messages have, a valid name
 * @param format what the values are
 * @param start where it begins when it has no position yet
 */
public record SourceSpec(String topic, String from, Format format, Start start) {
  /** Most sources of one process: each has a consumer, a producer and a thread. */
  public static final int MOST = 32;

  private static final int LONGEST_TOPIC = 249;
  private static final String GROUP_PREFIX = "holdfast-source-";

  public SourceSpec {
    checkTopic(topic);
    if (!Names.valid(from)) {
      throw new IllegalArgumentException(
          "source "
              + topic
              + ": from must be 1-128 characters of [A-Za-z0-9._~@:-], not '"
              + from
              + "'");
    }
  }

  /**
   * Reads {@code TOPIC[:from=NAME][:format=json|text|base64][:start=latest|earliest|TIME]}, the
   * parts after the topic in any order. Times and names may contain colons themselves.
   *
   * @throws IllegalArgumentException for anything else
   */
  public static SourceSpec parse(String text) {
    String[] parts = text.split(":(?=(?:[a-z]+)=)", -1);
    String topic = parts[0];
    checkTopic(topic);
    String from = topic.substring(0, Math.min(topic.length(), Names.MAX_LENGTH));
    Format format = Format.JSON;
    Start start = Start.LATEST;
    Set<String> seen = new HashSet<>();
    for (String part : List.of(parts).subList(1, parts.length)) {
      int equals = part.indexOf('=');
      String name = part.substring(0, equals);
      String value = part.substring(equals + 1);
      if (!seen.add(name)) {
        throw new IllegalArgumentException("source " + topic + ": " + name + " is given twice");
      }
      switch (name) {
        case "from" -> from = value;
        case "format" -> format = format(topic, value);
        case "start" -> start = Start.parse(value);
        default ->
            throw new IllegalArgumentException(
                "source " + topic + ": '" + name + "' is none of from, format and start");
      }
    }
    return new SourceSpec(topic, from, format, start);
  }

  /**
   * Several sources.
   *
   * @throws IllegalArgumentException when one is none, a topic comes twice, or there are too many
   */
  public static List<SourceSpec> parseAll(List<String> texts) {
    List<SourceSpec> specs = texts.stream().map(SourceSpec::parse).toList();
    if (specs.size() > MOST) {
      throw new IllegalArgumentException("at most " + MOST + " sources, not " + specs.size());
    }
    Set<String> topics = new HashSet<>();
    for (SourceSpec spec : specs) {
      if (!topics.add(spec.topic)) {
        throw new IllegalArgumentException("source " + spec.topic + " is given twice");
      }
    }
    return specs;
  }

  private static Format format(String topic, String value) {
    for (Format format : Format.values()) {
      if (format.name().toLowerCase(Locale.ROOT).equals(value)) {
        return format;
      }
    }
    throw new IllegalArgumentException(
        "source " + topic + ": format must be json, text or base64, not '" + value + "'");
  }

  private static void checkTopic(String topic) {
    boolean named =
        !topic.isEmpty()
            && topic.length() <= LONGEST_TOPIC
            && topic.chars().allMatch(SourceSpec::mayNameTopic)
            && !topic.equals(".")
            && !topic.equals("..");
    if (!named) {
      throw new IllegalArgumentException(
          "a source must begin with a topic's name, 1-249 characters of [A-Za-z0-9._-], not '"
              + topic
              + "'");
    }
    if (topic.startsWith("holdfast.")
        || topic.startsWith("holdfast-delivery-")
        || topic.startsWith("__")) {
      throw new IllegalArgumentException(
          "topic "
              + topic
              + " cannot be a source: it belongs to Holdfast or to Kafka, and what lies in it is no"
              + " message");
    }
  }

  private static boolean mayNameTopic(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  /** The consumer group whose committed positions say how far this source is. */
  public String group() {
    return GROUP_PREFIX + topic;
  }
}
