package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.Utf8;
import dev.holdfast.id.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads one client frame in one pass over its bytes. The payload is kept as it was written; unknown
 * fields are skipped; a field of the wrong type names itself in the error. One instance serves any
 * number of threads.
 */
public final class FrameReader {
  /** Longest {@code clientMsgId}, in characters. */
  public static final int MAX_CLIENT_MSG_ID = 64;

  private static final Set<String> LATER = Set.of("subscribe", "unsubscribe", "watch", "unwatch");

  private final Limits limits;

  public FrameReader(Limits limits) {
    this.limits = limits;
  }

  /**
   * The frame in {@code utf8}.
   *
   * @throws BadFrame naming the field that is wrong; {@link ErrorCode#INVALID_JSON} when it is no
   *     JSON object
   */
  public ClientFrame read(byte[] utf8) throws BadFrame {
    return fields(utf8, false).frame(limits);
  }

  /**
   * The body of {@code POST /v1/messages}: a {@code send} without type, and with a sender while
   * authentication is off.
   *
   * @param utf8 whatever came; a WebSocket's frames are checked before they get here, a body is not
   * @param clientMsgId the request's own id
   * @throws BadFrame as {@link #read}
   */
  public Publish readPublish(byte[] utf8, String clientMsgId) throws BadFrame {
    if (!Utf8.valid(utf8)) {
      throw new BadFrame(ErrorCode.INVALID_JSON, "the body is not UTF-8", null);
    }
    return fields(utf8, true).publish(limits, clientMsgId);
  }

  private static Fields fields(byte[] utf8, boolean withSender) throws BadFrame {
    Fields fields = new Fields(withSender);
    try (JsonParser in = JsonIo.parser(utf8)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new BadFrame(ErrorCode.INVALID_JSON, "a frame is one JSON object", null);
      }
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        fields.take(name, in, utf8);
      }
      if (in.nextToken() != null) {
        throw new BadFrame(ErrorCode.INVALID_JSON, "a frame is one JSON object, not two", null);
      }
    } catch (IOException e) {
      throw new BadFrame(ErrorCode.INVALID_JSON, "not JSON, or nested too deeply", null);
    }
    return fields;
  }

  /** What was found of the fields that any frame has; checked once the type is known. */
  private static final class Fields {
    private @Nullable String type;
    private @Nullable String wrong;
    private @Nullable String clientId;
    private @Nullable String user;
    private @Nullable String epoch;
    private @Nullable String clientMsgId;
    private @Nullable String channel;
    private @Nullable String token;
    private @Nullable String sessionToken;
    private @Nullable Long lastSeq;
    private @Nullable Long attempt;
    private @Nullable Long seq;
    private @Nullable RawJson ts;
    private @Nullable RawJson payload;
    private @Nullable List<String> users;
    private @Nullable String from;
    private final boolean withSender;

    Fields(boolean withSender) {
      this.withSender = withSender;
    }

    void take(String name, JsonParser in, byte[] utf8) throws IOException {
      switch (name) {
        case "type" -> type = string(name, in);
        case "clientId" -> clientId = string(name, in);
        case "user" -> user = string(name, in);
        case "epoch" -> epoch = string(name, in);
        case "clientMsgId" -> clientMsgId = string(name, in);
        case "channel" -> channel = string(name, in);
        case "token" -> token = string(name, in);
        case "sessionToken" -> sessionToken = string(name, in);
        case "lastSeq" -> lastSeq = integer(name, in);
        case "attempt" -> attempt = integer(name, in);
        case "seq" -> seq = integer(name, in);
        case "ts" -> ts = JsonIo.raw(in, utf8);
        case "payload" -> payload = JsonIo.raw(in, utf8);
        case "to" -> users = recipients(in);
        case "from" -> from = withSender ? string(name, in) : skip(in);
        default -> in.skipChildren();
      }
    }

    private static @Nullable String skip(JsonParser in) throws IOException {
      in.skipChildren();
      return null;
    }

    private @Nullable String string(String name, JsonParser in) throws IOException {
      String text = JsonIo.text(in);
      if (text == null) {
        wrong(name, "a string", in);
      }
      return text;
    }

    private @Nullable Long integer(String name, JsonParser in) throws IOException {
      if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
          && in.getNumberType() != JsonParser.NumberType.BIG_INTEGER
          && in.getLongValue() >= 0) {
        return in.getLongValue();
      }
      wrong(name, "an integer from 0", in);
      return null;
    }

    /** JSON's null is taken for absence. */
    private void wrong(String name, String wanted, JsonParser in) throws IOException {
      if (in.currentToken() != JsonToken.VALUE_NULL && wrong == null) {
        wrong = name + " must be " + wanted;
      }
      in.skipChildren();
    }

    private @Nullable List<String> recipients(JsonParser in) throws IOException {
      if (in.currentToken() != JsonToken.START_OBJECT) {
        wrong("to", "{user} or {users}", in);
        return null;
      }
      List<String> named = null;
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        if (name.equals("user")) {
          String one = string("to.user", in);
          named = one == null ? null : List.of(one);
        } else if (name.equals("users")) {
          named = names(in);
        } else {
          in.skipChildren();
        }
      }
      return named;
    }

    private @Nullable List<String> names(JsonParser in) throws IOException {
      if (in.currentToken() != JsonToken.START_ARRAY) {
        wrong("to.users", "an array of strings", in);
        return null;
      }
      List<String> names = new ArrayList<>();
      while (in.nextToken() != JsonToken.END_ARRAY) {
        String one = string("to.users", in);
        if (one != null && !names.contains(one) && names.size() <= Limits.DEFAULT.recipients()) {
          names.add(one);
        }
      }
      return names;
    }

    Publish publish(Limits limits, String id) throws BadFrame {
      clientMsgId = id;
      if (send(limits) instanceof ClientFrame.Send send) {
        String sender = from == null ? Publish.BACKEND : name(from, "from");
        return new Publish(sender, send.users(), send.payload());
      }
      throw new BadFrame(ErrorCode.UNSUPPORTED, "this server does not serve channels", null);
    }

    ClientFrame frame(Limits limits) throws BadFrame {
      if (type == null) {
        throw bad(wrong == null ? "type is missing" : wrong);
      }
      String known = type;
      if (LATER.contains(known)) {
        return new ClientFrame.Unsupported(known, clientMsgId, channel);
      }
      return switch (known) {
        case "ping" -> new ClientFrame.Ping(ts);
        case "hello" -> hello();
        case "ack" -> new ClientFrame.Ack(required(seq, "seq"));
        case "send" -> send(limits);
        case "auth" -> new ClientFrame.Auth(required(token, "token"));
        default -> throw new BadFrame(ErrorCode.UNKNOWN_TYPE, "unknown type", clientMsgId);
      };
    }

    private ClientFrame hello() throws BadFrame {
      return new ClientFrame.Hello(
          name(required(clientId, "clientId"), "clientId"),
          user == null ? null : name(user, "user"),
          lastSeq,
          epoch,
          attempt,
          token,
          sessionToken);
    }

    private ClientFrame send(Limits limits) throws BadFrame {
      String id = required(clientMsgId, "clientMsgId");
      if (id.isEmpty() || id.length() > MAX_CLIENT_MSG_ID || id.indexOf('\0') >= 0) {
        clientMsgId = null;
        throw bad("clientMsgId must have 1-" + MAX_CLIENT_MSG_ID + " characters");
      }
      if (!Utf8.encodable(id)) {
        clientMsgId = null;
        throw bad("clientMsgId must have no half of a surrogate pair alone");
      }
      if (users == null && channel != null && wrong == null) {
        return new ClientFrame.Unsupported("send to a channel", id, channel);
      }
      List<String> to = required(users, "to");
      if (to.isEmpty() || to.size() > limits.recipients()) {
        throw bad("to.users must name 1-" + limits.recipients() + " users");
      }
      for (String one : to) {
        name(one, "to");
      }
      RawJson body = required(payload, "payload");
      if (body.size() > limits.payloadBytes()) {
        throw new BadFrame(
            ErrorCode.PAYLOAD_TOO_LARGE,
            "payload has " + body.size() + " bytes, at most " + limits.payloadBytes(),
            id);
      }
      return new ClientFrame.Send(id, to, body);
    }

    private String name(String value, String field) throws BadFrame {
      if (!Names.valid(value)) {
        throw bad(field + " must be 1-128 characters of [A-Za-z0-9._~@:-]");
      }
      return value;
    }

    private <T> T required(@Nullable T value, String name) throws BadFrame {
      if (wrong != null) {
        throw bad(wrong);
      }
      if (value == null) {
        throw bad(name + " is missing");
      }
      return value;
    }

    private BadFrame bad(String what) {
      return new BadFrame(ErrorCode.BAD_FRAME, what, clientMsgId);
    }
  }
}
