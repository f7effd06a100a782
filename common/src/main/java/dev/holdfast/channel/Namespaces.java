package dev.holdfast.channel;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All namespaces of a node, by prefix; no prefix and no topic twice. */
public final class Namespaces {
  /** No channels. */
  public static final Namespaces NONE = new Namespaces(List.of());

  private final Map<String, Namespace> byPrefix = new LinkedHashMap<>();

  /**
   * @throws IllegalArgumentException when two have the same prefix or the same topic
   */
  public Namespaces(List<Namespace> all) {
    Map<String, String> topics = new HashMap<>();
    for (Namespace one : all) {
      if (byPrefix.put(one.prefix(), one) != null) {
        throw new IllegalArgumentException("namespace " + one.prefix() + " is there twice");
      }
      String other = topics.put(one.topic(), one.prefix());
      if (other != null) {
        throw new IllegalArgumentException(
            "topic "
                + one.topic()
                + " belongs to the namespaces "
                + other
                + " and "
                + one.prefix());
      }
    }
  }

  /** The namespace of a channel; null when there is none with its prefix. */
  public @Nullable Namespace of(ChannelName channel) {
    return byPrefix.get(channel.prefix());
  }

  /** All of them, in the order given. */
  public List<Namespace> all() {
    return List.copyOf(byPrefix.values());
  }
}
