package dev.holdfast.frame;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.JsonIo;
import dev.holdfast.Limits;
import dev.holdfast.RawJson;
import dev.holdfast.record.Welcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The frames that a server sends, as bytes ready for the socket. */
public final class ServerFrames {
  /** The literal answer to the literal {@code ping}. Shared; not to be changed. */
  public static final byte[] PONG = "pong".getBytes(StandardCharsets.US_ASCII);

  private ServerFrames() {}

  /** {@code pong} with the client's own {@code ts} and the newest seq it was sent. */
  public static byte[] pong(@Nullable RawJson ts, long seq) {
    return frame(
        "pong",
        out -> {
          if (ts != null) {
            out.writeFieldName("ts");
            JsonIo.writeRaw(out, ts);
          }
          out.writeNumberField("seq", seq);
        });
  }

  /**
   * The answer to {@code hello}.
   *
   * @param welcome what the log decided
   * @param now milliseconds since 1970 on this edge, for the client's information only
   */
  public static byte[] welcome(
      Welcome welcome, String connId, String edge, String sessionToken, Limits limits, long now) {
    return frame(
        "welcome",
        out -> {
          out.writeBooleanField("resumed", welcome.resumed());
          if (welcome.reason() != null) {
            out.writeStringField("reason", welcome.reason());
          }
          out.writeStringField("epoch", welcome.epoch());
          out.writeStringField("sessionToken", sessionToken);
          out.writeNumberField("seq", welcome.seq());
          out.writeNumberField("ackSeq", welcome.ackSeq());
          out.writeNumberField("unread", welcome.unread());
          out.writeStringField("connId", connId);
          out.writeStringField("edge", edge);
          out.writeObjectFieldStart("heartbeat");
          out.writeNumberField("intervalMs", limits.heartbeatIntervalMs());
          out.writeNumberField("timeoutMs", limits.heartbeatTimeoutMs());
          out.writeEndObject();
          out.writeNumberField("resumeTtlMs", welcome.resumeTtlMs());
          out.writeNumberField("maxBacklog", welcome.maxBacklog());
          out.writeObjectFieldStart("limits");
          out.writeNumberField("window", welcome.window());
          out.writeNumberField("windowBytes", welcome.windowBytes());
          out.writeNumberField("frameBytes", limits.frameBytes());
          out.writeNumberField("payloadBytes", limits.payloadBytes());
          out.writeNumberField("dedupWindowMs", welcome.dedupWindowMs());
          out.writeEndObject();
          out.writeNumberField("serverTime", now);
        });
  }

  /**
   * The backlog up to {@code cursor} is through.
   *
   * @param unread messages kept behind what the client acknowledged; below 0: as the welcome said
   */
  public static byte[] sync(long cursor, long unread) {
    return frame(
        "sync",
        out -> {
          out.writeNumberField("cursor", cursor);
          if (unread >= 0) {
            out.writeNumberField("unread", unread);
          }
        });
  }

  /**
   * One message of a mailbox. Written without a generator: it is the one frame that is made for
   * each message, and nothing in it but the payload could need an escape.
   *
   * @param from a valid name
   * @param ts milliseconds since 1970, by the broker's clock
   * @param redelivered whether it was sent on an earlier connection of this client
   */
  public static byte[] message(
      long seq, String msgId, String from, long ts, boolean redelivered, RawJson payload) {
    String head =
        "{\"type\":\"message\",\"seq\":"
            + seq
            + ",\"msgId\":\""
            + msgId
            + "\",\"from\":\""
            + from
            + "\",\"ts\":"
            + ts
            + (redelivered ? ",\"redelivered\":true,\"payload\":" : ",\"payload\":");
    byte[] frame = new byte[head.length() + payload.size() + 1];
    byte[] ascii = head.getBytes(StandardCharsets.ISO_8859_1);
    System.arraycopy(ascii, 0, frame, 0, ascii.length);
    System.arraycopy(payload.utf8(), 0, frame, ascii.length, payload.size());
    frame[frame.length - 1] = '}';
    return frame;
  }

  /** The message is on all in-sync replicas. */
  public static byte[] sent(String clientMsgId, String msgId) {
    return frame(
        "sent",
        out -> {
          out.writeStringField("clientMsgId", clientMsgId);
          out.writeStringField("msgId", msgId);
        });
  }

  /**
   * The frame named was refused.
   *
   * @param retryAfterMs milliseconds, or below 0 for none
   */
  public static byte[] error(
      ErrorCode code,
      String message,
      @Nullable String clientMsgId,
      @Nullable String channel,
      long retryAfterMs) {
    return error(code, message, clientMsgId, channel, code.retryable(), retryAfterMs);
  }

  /**
   * The same.
   *
   * @param retryable whether sending it again may help, where that is not the code's own
   */
  public static byte[] error(
      ErrorCode code,
      String message,
      @Nullable String clientMsgId,
      @Nullable String channel,
      boolean retryable,
      long retryAfterMs) {
    return error(
        code,
        message,
        retryable,
        out -> {
          if (clientMsgId != null) {
            out.writeStringField("clientMsgId", clientMsgId);
          }
          if (channel != null) {
            out.writeStringField("channel", channel);
          }
        },
        retryAfterMs);
  }

  /** What is wrong about these users, or is over with them; below 0: no {@code retryAfterMs}. */
  public static byte[] error(
      ErrorCode code, String message, List<String> users, long retryAfterMs) {
    return error(code, message, code.retryable(), out -> write(out, "users", users), retryAfterMs);
  }

  /**
   * The same of the channels that one frame named. The first of them stands by itself as well, for
   * clients that do not know the list.
   *
   * @param channels one at least
   * @param retryAfterMs milliseconds, or below 0 for none
   */
  public static byte[] channelsError(
      ErrorCode code, String message, List<String> channels, long retryAfterMs) {
    return error(
        code,
        message,
        code.retryable(),
        out -> {
          out.writeStringField("channel", channels.get(0));
          if (channels.size() > 1) {
            write(out, "channels", channels);
          }
        },
        retryAfterMs);
  }

  private static byte[] error(
      ErrorCode code, String message, boolean retryable, JsonIo.Writer about, long retryAfterMs) {
    return frame(
        "error",
        out -> {
          out.writeStringField("code", code.wire());
          out.writeStringField("message", message);
          out.writeBooleanField("retryable", retryable);
          writeFields(out, about);
          if (retryAfterMs >= 0) {
            out.writeNumberField("retryAfterMs", retryAfterMs);
          }
        });
  }

  private static void write(JsonGenerator out, String name, List<String> all) throws IOException {
    out.writeFieldName(name);
    out.writeArray(all.toArray(String[]::new), 0, all.size());
  }

  /**
   * Whether a user is there.
   *
   * @param since when that began, milliseconds since 1970
   * @param lastSeen when a connection of the user last ended, milliseconds since 1970
   */
  public static byte[] presence(String user, String status, long since, long lastSeen) {
    return frame(
        "presence",
        out -> {
          out.writeStringField("user", user);
          out.writeStringField("status", status);
          out.writeNumberField("since", since);
          out.writeNumberField("lastSeen", lastSeen);
        });
  }

  /**
   * The answer to {@code auth}: the new credential holds.
   *
   * @param expiresAt when it is over, milliseconds since 1970
   */
  public static byte[] auth(long expiresAt) {
    return frame("auth", out -> out.writeNumberField("expiresAt", expiresAt));
  }

  /**
   * The answer to a subscription; it may come again when what was promised cannot be kept.
   *
   * @param position events after it follow
   * @param recovered whether that is everything after the position that was asked for
   * @param reason why not; null when it is
   * @param latest whether its mode is {@code latest}, so that its newest event counts also where
   *     the client knows it
   */
  public static byte[] subscribed(
      String channel, String position, boolean recovered, @Nullable String reason, boolean latest) {
    return frame(
        "subscribed",
        out -> {
          out.writeStringField("channel", channel);
          out.writeStringField("position", position);
          out.writeBooleanField("recovered", recovered);
          if (reason != null) {
            out.writeStringField("reason", reason);
          }
          if (latest) {
            out.writeStringField("mode", "latest");
          }
        });
  }

  /** No more events of the channel follow. */
  public static byte[] unsubscribed(String channel) {
    return frame("unsubscribed", out -> out.writeStringField("channel", channel));
  }

  /**
   * Everything up to {@code position} was sent, though no event tells it.
   *
   * @param live whether this ends what was missed: all after it is live
   */
  public static byte[] progress(String channel, String position, boolean live) {
    return frame(
        "progress",
        out -> {
          out.writeStringField("channel", channel);
          out.writeStringField("position", position);
          if (live) {
            out.writeBooleanField("live", true);
          }
        });
  }

  private static byte[] frame(String type, JsonIo.Writer fields) {
    return JsonIo.write(
        out -> {
          out.writeStartObject();
          out.writeStringField("type", type);
          writeFields(out, fields);
          out.writeEndObject();
        });
  }

  private static void writeFields(JsonGenerator out, JsonIo.Writer fields) throws IOException {
    fields.write(out);
  }
}
