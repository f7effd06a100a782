package dev.holdfast.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.rules.Names;
import java.util.Collection;

/** Whom a message is for. */
public final class To {
  private static final int MOST_USERS = 100;

  private final ObjectNode json;

  private To(ObjectNode json) {
    this.json = json;
  }

  /**
   * One user.
   *
   * @throws IllegalArgumentException when it is no name
   */
  public static To user(String user) {
    return new To(Json.object().put("user", Names.check("a user", user)));
  }

  /**
   * Several users, at once: all of them get it or none.
   *
   * @throws IllegalArgumentException when one is no name, or they are none or more than 100
   */
  public static To users(Collection<String> users) {
    if (users.isEmpty() || users.size() > MOST_USERS) {
      throw new IllegalArgumentException("1 to 100 users, not " + users.size());
    }
    ObjectNode json = Json.object();
    users.forEach(user -> json.withArray("users").add(Names.check("a user", user)));
    return new To(json);
  }

  /**
   * Everybody who is subscribed to a channel.
   *
   * @throws IllegalArgumentException when it is no channel's name
   */
  public static To channel(String channel) {
    return new To(Json.object().put("channel", Names.checkChannel(channel)));
  }

  /** As it is stored and told. */
  @Override
  public String toString() {
    return json.toString();
  }
}
