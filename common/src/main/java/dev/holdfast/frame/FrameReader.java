package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.holdfast.JsonIo;
import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.Utf8;
import dev.holdfast.id.MessageId;
import java.io.IOException;
import java.util.List;

/**
 * Reads one client frame in one pass over its bytes. The payload is kept as it was written; unknown
 * fields are skipped, and so is one that belongs to another frame; a field of the wrong type names
 * itself in the error. One instance serves any number of threads.
 */
public final class FrameReader {
  /** Longest {@code clientMsgId}, in UTF-16 code units. */
  public static final int MAX_CLIENT_MSG_ID = 64;

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
    Fields in = fields(utf8, "a frame");
    String type = in.required(Field.TYPE, in.type);
    return switch (type) {
      case "ping" -> new ClientFrame.Ping(in.ts);
      case "hello" -> hello(in);
      case "ack" -> new ClientFrame.Ack(in.required(Field.SEQ, in.seq));
      case "send" -> send(in);
      case "subscribe" -> new ClientFrame.Subscribe(in.wanted());
      case "unsubscribe" ->
          new ClientFrame.Unsubscribe(in.wanted().stream().map(Wanted::channel).toList());
      case "watch" -> new ClientFrame.Watch(in.users("users", in.named));
      case "unwatch" -> new ClientFrame.Unwatch(in.users("users", in.named));
      case "auth" -> new ClientFrame.Auth(in.required(Field.TOKEN, in.token));
      default ->
          throw new BadFrame(
              ErrorCode.UNKNOWN_TYPE, "unknown type " + Excerpt.of(type), in.goodId());
    };
  }

  /**
   * The body of {@code POST /v1/messages}, or one message of its batch: a {@code send} without type
   * and id, and with a sender while authentication is off.
   *
   * @param utf8 whatever came; a WebSocket's frames are checked before they get here, a body is not
   * @throws BadFrame as {@link #read}
   */
  public Publish readPublish(byte[] utf8) throws BadFrame {
    if (!Utf8.valid(utf8)) {
      throw new BadFrame(ErrorCode.INVALID_JSON, "the body is not UTF-8", null);
    }
    Fields in = fields(utf8, "the body");
    in.clientMsgId = null; // the request has its id elsewhere
    String channel = toChannel(in) ? in.channelName() : null;
    List<String> to = channel == null ? in.addressees() : List.of();
    RawJson payload = payload(in);
    String from = in.optional(Field.FROM, in.from);
    String sender = from == null ? Publish.BACKEND : in.name(Field.FROM, from);
    return new Publish(sender, to, channel, payload);
  }

  private Fields fields(byte[] utf8, String what) throws BadFrame {
    Fields fields = new Fields(limits.recipients());
    try (JsonParser in = JsonIo.parser(utf8)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new BadFrame(ErrorCode.INVALID_JSON, what + " is one JSON object", null);
      }
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        fields.take(name, in, utf8);
      }
      if (in.nextToken() != null) {
        throw new BadFrame(ErrorCode.INVALID_JSON, what + " is one JSON object, not two", null);
      }
    } catch (StreamConstraintsException e) {
      // Were it closed, a client that keeps what has no answer would come back with the same.
      boolean named = "send".equals(fields.type) && fields.goodId() != null;
      ErrorCode code = named ? ErrorCode.BAD_FRAME : ErrorCode.INVALID_JSON;
      throw new BadFrame(code, JsonIo.trouble(e), named ? fields.goodId() : null);
    } catch (IOException e) {
      throw new BadFrame(ErrorCode.INVALID_JSON, JsonIo.trouble(e), null);
    }
    return fields;
  }

  private static ClientFrame hello(Fields in) throws BadFrame {
    String user = in.optional(Field.USER, in.user);
    Named channels = in.list(in.channels);
    Named watch = in.list(in.watch);
    return new ClientFrame.Hello(
        in.name(Field.CLIENT_ID, in.clientId),
        user == null ? null : in.name(Field.USER, user),
        in.optional(Field.LAST_SEQ, in.lastSeq),
        in.optional(Field.EPOCH, in.epoch),
        in.optional(Field.ATTEMPT, in.attempt),
        in.optional(Field.TOKEN, in.token),
        in.optional(Field.SESSION_TOKEN, in.sessionToken),
        channels == null ? List.of() : channels.channels(),
        watch == null ? List.of() : watch.users());
  }

  private ClientFrame send(Fields in) throws BadFrame {
    String id = in.required(Field.CLIENT_MSG_ID, in.clientMsgId);
    String wrong = MessageId.wrong(id, MAX_CLIENT_MSG_ID);
    if (wrong != null) {
      throw in.bad("clientMsgId " + wrong);
    }
    if (toChannel(in)) {
      return new ClientFrame.Post(id, in.channelName(), payload(in));
    }
    List<String> to = in.addressees();
    return new ClientFrame.Send(id, to, payload(in));
  }

  /** Whether a message goes to a channel; one that goes to users as well is wrong. */
  private static boolean toChannel(Fields in) throws BadFrame {
    boolean channel = in.optional(Field.CHANNEL, in.channel) != null;
    if (channel && in.addressed()) {
      throw in.bad("to and channel must not come together");
    }
    return channel;
  }

  private RawJson payload(Fields in) throws BadFrame {
    RawJson payload = in.required(Field.PAYLOAD, in.payload);
    if (payload.size() > limits.payloadBytes()) {
      throw new BadFrame(
          ErrorCode.PAYLOAD_TOO_LARGE,
          "payload has " + payload.size() + " bytes, at most " + limits.payloadBytes(),
          in.goodId());
    }
    return payload;
  }
}
