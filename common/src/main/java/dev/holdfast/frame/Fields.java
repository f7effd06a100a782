package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.id.MessageId;
import dev.holdfast.id.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one frame or body, as they were found. What is wrong with a field is kept beside it
 * and told only when a frame asks for that field: to any other frame the field is an unknown one,
 * which is ignored whatever its type. JSON's null is taken for absence, but for {@code payload}.
 */
final class Fields {
  static final String RATE_RULE = " must be " + Field.MAX_RATE.wanted();
  static final String NAME_RULE =
      " must be 1-" + Names.MAX_LENGTH + " characters of [A-Za-z0-9._~@:-]";

  private final int recipients;

  /** Those that came with another type; null for almost every frame. */
  private @Nullable EnumSet<Field> wrong;

  @Nullable String type;
  @Nullable String clientId;
  @Nullable String user;
  @Nullable String epoch;
  @Nullable String clientMsgId;
  @Nullable String channel;
  @Nullable String token;
  @Nullable String sessionToken;
  @Nullable String from;
  @Nullable Long lastSeq;
  @Nullable Long attempt;
  @Nullable Long seq;
  @Nullable RawJson ts;
  @Nullable RawJson payload;
  @Nullable String position;
  @Nullable Double maxRate;
  @Nullable Named named;
  @Nullable Named watch;
  @Nullable Named channels;
  private @Nullable List<String> users;
  private @Nullable String wrongTo;

  /**
   * @param recipients most users that one message may name
   */
  Fields(int recipients) {
    this.recipients = recipients;
  }

  /** Takes the field at the parser's current value. */
  void take(String name, JsonParser in, byte[] utf8) throws IOException {
    switch (name) {
      case "type" -> type = text(Field.TYPE, in);
      case "clientId" -> clientId = text(Field.CLIENT_ID, in);
      case "user" -> user = text(Field.USER, in);
      case "epoch" -> epoch = text(Field.EPOCH, in);
      case "clientMsgId" -> clientMsgId = text(Field.CLIENT_MSG_ID, in);
      case "channel" -> channel = text(Field.CHANNEL, in);
      case "token" -> token = text(Field.TOKEN, in);
      case "sessionToken" -> sessionToken = text(Field.SESSION_TOKEN, in);
      case "from" -> from = text(Field.FROM, in);
      case "lastSeq" -> lastSeq = integer(Field.LAST_SEQ, in);
      case "attempt" -> attempt = integer(Field.ATTEMPT, in);
      case "seq" -> seq = integer(Field.SEQ, in);
      case "ts" -> ts = JsonIo.raw(in, utf8);
      case "payload" -> payload = JsonIo.raw(in, utf8);
      case "to" -> to(in);
      case "position" -> position = text(Field.POSITION, in);
      case "maxRate" -> maxRate = rate(in);
      case "users" -> named = Named.users("users", in);
      case "watch" -> watch = Named.users("watch", in);
      case "channels" -> channels = Named.channels("channels", in);
      default -> in.skipChildren();
    }
  }

  private @Nullable String text(Field field, JsonParser in) throws IOException {
    String text = JsonIo.text(in);
    if (text == null) {
      mistyped(field, in);
    }
    return text;
  }

  private @Nullable Long integer(Field field, JsonParser in) throws IOException {
    if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
        && in.getNumberType() != JsonParser.NumberType.BIG_INTEGER
        && in.getLongValue() >= 0) {
      return in.getLongValue();
    }
    mistyped(field, in);
    return null;
  }

  private @Nullable Double rate(JsonParser in) throws IOException {
    boolean absent = in.currentToken() == JsonToken.VALUE_NULL;
    Double rate = Named.rate(in);
    if (rate == null && !absent) {
      wrong(Field.MAX_RATE);
    }
    return rate;
  }

  private void mistyped(Field field, JsonParser in) throws IOException {
    if (in.currentToken() != JsonToken.VALUE_NULL) {
      wrong(field);
    }
    in.skipChildren();
  }

  private void wrong(Field field) {
    EnumSet<Field> so = wrong == null ? EnumSet.noneOf(Field.class) : wrong;
    so.add(field);
    wrong = so;
  }

  private void to(JsonParser in) throws IOException {
    if (in.currentToken() != JsonToken.START_OBJECT) {
      mistyped(Field.TO, in);
      return;
    }
    if (users != null) {
      wrongTo("to must come once");
    }
    boolean named = false;
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      boolean absent = in.nextToken() == JsonToken.VALUE_NULL;
      boolean one = name.equals("user");
      if (absent || !(one || name.equals("users"))) {
        in.skipChildren();
        continue;
      }
      if (named) {
        wrongTo("to must be {user} or {users}, one of them and once");
      }
      named = true;
      users = one ? user(in) : users(in);
    }
    if (!named) {
      wrongTo("to must be {user} or {users}");
    }
  }

  private List<String> user(JsonParser in) throws IOException {
    String one = JsonIo.text(in);
    if (one == null) {
      wrongTo("to.user must be a string");
      in.skipChildren();
      return List.of();
    }
    if (!Names.valid(one)) {
      wrongTo("to.user " + Excerpt.of(one) + NAME_RULE);
    }
    return List.of(one);
  }

  /** Those named, each once; of too many, one more than may be. */
  private List<String> users(JsonParser in) throws IOException {
    if (in.currentToken() != JsonToken.START_ARRAY) {
      wrongTo("to.users must be an array of strings");
      in.skipChildren();
      return List.of();
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; in.nextToken() != JsonToken.END_ARRAY; i++) {
      String one = JsonIo.text(in);
      if (one == null) {
        wrongTo("to.users[" + i + "] must be a string");
        in.skipChildren();
      } else if (!Names.valid(one)) {
        wrongTo("to.users[" + i + "] " + Excerpt.of(one) + NAME_RULE);
      } else if (names.size() <= recipients && !names.contains(one)) {
        names.add(one);
      }
    }
    if (names.isEmpty() || names.size() > recipients) {
      wrongTo("to.users must name 1-" + recipients + " users");
    }
    return names;
  }

  /** The first that is wrong is told. */
  private void wrongTo(String what) {
    if (wrongTo == null) {
      wrongTo = what;
    }
  }

  /** Whether the frame says to whom it goes, rightly or not. */
  boolean addressed() {
    return users != null || wrongTo != null || isWrong(Field.TO);
  }

  /** Who is addressed, in the order named, without repeats. */
  List<String> addressees() throws BadFrame {
    List<String> named = optional(Field.TO, users);
    if (wrongTo != null) {
      throw bad(wrongTo);
    }
    return required(Field.TO, named);
  }

  /** The value of a field that the frame has; null when it is absent. */
  <T> @Nullable T optional(Field field, @Nullable T value) throws BadFrame {
    if (isWrong(field)) {
      throw bad(field.wire() + " must be " + field.wanted());
    }
    return value;
  }

  private boolean isWrong(Field field) {
    return wrong != null && wrong.contains(field);
  }

  /** The value of a field that the frame cannot be without. */
  <T> T required(Field field, @Nullable T value) throws BadFrame {
    T given = optional(field, value);
    if (given == null) {
      throw bad(field.wire() + " is missing");
    }
    return given;
  }

  /** The same of a user's or client's name. */
  String name(Field field, @Nullable String value) throws BadFrame {
    String given = required(field, value);
    if (!Names.valid(given)) {
      throw bad(field.wire() + NAME_RULE);
    }
    return given;
  }

  /** A list that the frame has; null when it is absent. */
  @Nullable Named list(@Nullable Named list) throws BadFrame {
    String what = list == null ? null : list.wrong();
    if (what != null) {
      throw bad(what);
    }
    return list;
  }

  /** Users in a list of the frame's. */
  List<String> users(String field, @Nullable Named list) throws BadFrame {
    Named given = list(list);
    if (given == null || given.users().isEmpty()) {
      throw bad(field + " must name at least one user");
    }
    return given.users();
  }

  /** The channels that the frame names, by {@code channel} or by {@code channels}. */
  List<Wanted> wanted() throws BadFrame {
    String one = optional(Field.CHANNEL, channel);
    Named many = list(channels);
    if ((one == null) == (many == null)) {
      throw bad("channel or channels must be there, one of them");
    }
    if (many != null) {
      if (many.channels().isEmpty()) {
        throw bad("channels must name at least one channel");
      }
      return many.channels();
    }
    String name = channelName();
    return List.of(
        new Wanted(name, optional(Field.POSITION, position), optional(Field.MAX_RATE, maxRate)));
  }

  /** The one channel that the frame names. */
  String channelName() throws BadFrame {
    String name = required(Field.CHANNEL, channel);
    if (ChannelName.of(name) == null) {
      throw bad("channel " + Excerpt.of(name) + " " + ChannelName.RULE);
    }
    return name;
  }

  /** The frame's {@code clientMsgId}, where it is one. */
  @Nullable String goodId() {
    String id = clientMsgId;
    return id == null || MessageId.wrong(id, FrameReader.MAX_CLIENT_MSG_ID) != null ? null : id;
  }

  BadFrame bad(String what) {
    return new BadFrame(ErrorCode.BAD_FRAME, what, goodId());
  }
}
