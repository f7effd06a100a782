package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.id.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lists of a frame: {@code users}, {@code watch} and {@code channels}. Like {@link Fields},
 * what is wrong with one is kept beside it and told only when a frame asks for that list; the first
 * thing that is wrong is told. How long a list may be is bounded by the frame's bytes.
 */
final class Named {
  private final String field;
  private final List<Wanted> channels = new ArrayList<>();
  private Set<String> users = Set.of();
  private @Nullable String wrong;

  private Named(String field) {
    this.field = field;
  }

  /** A list of users at the parser's current token; null when it is JSON's null. */
  static @Nullable Named users(String field, JsonParser in) throws IOException {
    Named list = new Named(field);
    list.users = new LinkedHashSet<>();
    return list.array(in, list::user, "user names");
  }

  /** A list of channels, each a name or {@code {channel, position?, maxRate?}}. */
  static @Nullable Named channels(String field, JsonParser in) throws IOException {
    Named list = new Named(field);
    return list.array(in, list::channel, "channels");
  }

  /** The users, in the order named, without repeats. */
  List<String> users() {
    return List.copyOf(users);
  }

  /** The channels; of one that is named twice, the last. */
  List<Wanted> channels() {
    Map<String, Wanted> last = new LinkedHashMap<>();
    for (Wanted one : channels) {
      last.put(one.channel(), one);
    }
    return List.copyOf(last.values());
  }

  /** What is wrong; null when nothing is. */
  @Nullable String wrong() {
    return wrong;
  }

  private interface Element {
    void read(int index, JsonParser in) throws IOException;
  }

  private @Nullable Named array(JsonParser in, Element element, String what) throws IOException {
    if (in.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    if (in.currentToken() != JsonToken.START_ARRAY) {
      wrong(field + " must be an array of " + what);
      in.skipChildren();
      return this;
    }
    int i = 0;
    for (; in.nextToken() != JsonToken.END_ARRAY; i++) {
      element.read(i, in);
    }
    return this;
  }

  private void user(int index, JsonParser in) throws IOException {
    String name = JsonIo.text(in);
    if (name == null) {
      wrong(at(index) + " must be a string");
      in.skipChildren();
    } else if (!Names.valid(name)) {
      wrong(at(index) + " " + Excerpt.of(name) + Fields.NAME_RULE);
    } else {
      users.add(name);
    }
  }

  private void channel(int index, JsonParser in) throws IOException {
    if (in.currentToken() == JsonToken.VALUE_STRING) {
      add(at(index), in.getText(), null, null);
      return;
    }
    if (in.currentToken() != JsonToken.START_OBJECT) {
      wrong(at(index) + " must be a string or {channel, position?, maxRate?}");
      in.skipChildren();
      return;
    }
    String channel = null;
    String position = null;
    Double rate = null;
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      boolean absent = in.nextToken() == JsonToken.VALUE_NULL;
      switch (absent ? "" : name) {
        case "channel" -> channel = text(at(index) + ".channel", in);
        case "position" -> position = text(at(index) + ".position", in);
        case "maxRate" -> {
          rate = rate(in);
          wrong(rate == null ? at(index) + ".maxRate" + Fields.RATE_RULE : null);
        }
        default -> in.skipChildren();
      }
    }
    if (channel == null) {
      wrong(at(index) + ".channel is missing");
    } else {
      add(at(index) + ".channel", channel, position, rate);
    }
  }

  private void add(
      String where, String channel, @Nullable String position, @Nullable Double maxRate) {
    if (ChannelName.of(channel) == null) {
      wrong(where + " " + Excerpt.of(channel) + " " + ChannelName.RULE);
    } else {
      channels.add(new Wanted(channel, position, maxRate));
    }
  }

  private @Nullable String text(String where, JsonParser in) throws IOException {
    String text = JsonIo.text(in);
    if (text == null) {
      wrong(where + " must be a string");
      in.skipChildren();
    }
    return text;
  }

  /** A rate at the parser's current token; null when it is none. */
  static @Nullable Double rate(JsonParser in) throws IOException {
    if (in.currentToken() != null && in.currentToken().isNumeric()) {
      double rate = in.getDoubleValue();
      return rate >= 0.01 && rate <= 1_000 ? (Double) rate : null;
    }
    in.skipChildren();
    return null;
  }

  private String at(int index) {
    return field + '[' + index + ']';
  }

  private void wrong(@Nullable String what) {
    if (wrong == null) {
      wrong = what;
    }
  }
}
