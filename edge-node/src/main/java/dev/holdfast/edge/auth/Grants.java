package dev.holdfast.edge.auth;

import dev.holdfast.channel.Namespace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a token allows: the claim {@code holdfast}. What it does not name is as for a token without
 * the claim; a list that is there narrows to what it names.
 *
 * @param publish whether {@code POST /v1/messages} is allowed; only the claim gives it
 * @param send users that may be addressed; all by default
 * @param subscribe channels that may be read; null: those that are open to everybody
 * @param watch users whose presence may be seen; null: the server's default
 * @param anyHistory whether other users' history may be read
 * @param post channels that may be written to, where their namespace allows it at all; null: those
 *     that may be read
 */
public record Grants(
    boolean publish,
    Patterns send,
    @Nullable Patterns subscribe,
    @Nullable Patterns watch,
    boolean anyHistory,
    @Nullable Patterns post) {

  /** Of a token without the claim. */
  public static final Grants DEFAULT = new Grants(false, Patterns.ALL, null, null, false, null);

  /**
   * Whether {@code user}'s presence may be seen: that of everybody is, unless a list narrows it.
   */
  public boolean mayWatch(String user) {
    return watch == null || watch.allow(user);
  }

  /**
   * @param claim the claim's value; null when the token has none
   * @throws IllegalArgumentException naming the field that is wrong: a claim that cannot be read
   *     grants nothing, not the default
   */
  static Grants of(@Nullable Object claim) {
    if (claim == null) {
      return DEFAULT;
    }
    if (!(claim instanceof Map<?, ?> fields)) {
      throw new IllegalArgumentException("the claim holdfast must be an object");
    }
    Patterns send = patterns("send", fields.get("send"));
    return new Grants(
        flag("publish", fields.get("publish")),
        send == null ? Patterns.ALL : send,
        patterns("subscribe", fields.get("subscribe")),
        patterns("watch", fields.get("watch")),
        history(fields.get("history")),
        patterns("post", fields.get("post")));
  }

  /** Whether a channel may be read. */
  public boolean maySubscribe(Namespace namespace, String channel) {
    return subscribe == null ? namespace.open() : subscribe.allow(channel);
  }

  /** Whether a backend may write to a channel; it needs {@link #publish} beside. */
  public boolean mayPublish(String channel) {
    return post == null || post.allow(channel);
  }

  /** Whether a channel may be written to; whether anybody may is the namespace's to say. */
  public boolean mayPost(Namespace namespace, String channel) {
    return post == null ? maySubscribe(namespace, channel) : post.allow(channel);
  }

  private static boolean flag(String name, @Nullable Object value) {
    if (value == null) {
      return false;
    }
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw new IllegalArgumentException("holdfast." + name + " must be true or false");
  }

  private static boolean history(@Nullable Object value) {
    if (value == null || value.equals("own")) {
      return false;
    }
    if (value.equals("any")) {
      return true;
    }
    throw new IllegalArgumentException("holdfast.history must be own or any");
  }

  private static @Nullable Patterns patterns(String name, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    List<String> texts = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object one : list) {
        if (one instanceof String text) {
          texts.add(text);
        }
      }
      if (texts.size() == list.size()) {
        return read(name, texts);
      }
    }
    throw new IllegalArgumentException("holdfast." + name + " must be a list of strings");
  }

  private static Patterns read(String name, List<String> texts) {
    try {
      return Patterns.of(texts);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("holdfast." + name + ": " + e.getMessage(), e);
    }
  }
}
