package dev.holdfast.record;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.Utf8;
import dev.holdfast.id.MessageId;
import dev.holdfast.id.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the value of a record of {@code holdfast.events}, in one pass. */
public final class EventReader {
  private static final int MAX_ID = 200;
  private static final int MAX_PARTITION = 1_000_000;

  private @Nullable String type;
  private @Nullable String from;
  private @Nullable String clientId;
  private @Nullable String clientMsgId;
  private @Nullable String connId;
  private @Nullable String epoch;
  private @Nullable String reason;
  private @Nullable String edgeKey;
  private @Nullable String queryId;
  private @Nullable Long lastSeq;
  private @Nullable Long attempt;
  private @Nullable Long seq;
  private @Nullable Long count;
  private @Nullable Long digest;
  private @Nullable Long after;
  private @Nullable Long limit;
  private boolean clientIdGiven;
  private boolean synced;
  private @Nullable EdgeRef edge;
  private @Nullable RawJson payload;
  private @Nullable Rules rules;
  private @Nullable List<Event.Roster.Entry> connections;

  private EventReader() {}

  /**
   * The event in {@code value}.
   *
   * @throws BadRecord naming what is wrong with it
   */
  public static Event read(byte @Nullable [] value) throws BadRecord {
    if (value == null) {
      throw new BadRecord("bad_event", "the record has no value");
    }
    if (!Utf8.valid(value)) {
      throw new BadRecord("bad_event", "the value is not UTF-8");
    }
    EventReader reader = new EventReader();
    try (JsonParser in = JsonIo.parser(value)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new BadRecord("bad_event", "the value is no JSON object");
      }
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        reader.take(name, in, value);
      }
      if (in.nextToken() != null) {
        throw new BadRecord("bad_event", "the value is more than one JSON object");
      }
      return reader.event();
    } catch (IOException e) {
      throw new BadRecord("bad_event", "the value: " + JsonIo.trouble(e));
    } catch (RuntimeException e) {
      // Whatever a parser may stumble over, one record must not stop a partition.
      throw new BadRecord("bad_event", "the value cannot be read");
    }
  }

  private void take(String name, JsonParser in, byte[] value) throws IOException, BadRecord {
    switch (name) {
      case "type" -> type = text(in);
      case "from" -> from = text(in);
      case "clientId" -> {
        clientIdGiven = true;
        clientId = text(in);
      }
      case "clientMsgId" -> clientMsgId = text(in);
      case "connId" -> connId = text(in);
      case "epoch" -> epoch = text(in);
      case "reason" -> reason = text(in);
      case "edgeKey" -> edgeKey = text(in);
      case "queryId" -> queryId = text(in);
      case "lastSeq" -> lastSeq = number(in);
      case "attempt" -> attempt = number(in);
      case "seq", "rosterOffset" -> seq = number(in);
      case "count" -> count = number(in);
      case "digest" -> digest = number(in);
      case "after" -> after = number(in);
      case "limit" -> limit = number(in);
      case "synced" -> synced = in.currentToken() == JsonToken.VALUE_TRUE;
      case "edge" -> edge = edge(in);
      case "payload" -> payload = JsonIo.raw(in, value);
      case "rules" -> rules = RulesCodec.read(in);
      case "connections" -> connections = connections(in);
      default -> in.skipChildren();
    }
  }

  private static @Nullable String text(JsonParser in) throws IOException {
    String text = JsonIo.text(in);
    in.skipChildren();
    return text;
  }

  private static @Nullable Long number(JsonParser in) throws IOException {
    if (in.currentToken() == JsonToken.VALUE_NUMBER_INT
        && in.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      return in.getLongValue();
    }
    in.skipChildren();
    return null;
  }

  private static @Nullable EdgeRef edge(JsonParser in) throws IOException {
    if (in.currentToken() != JsonToken.START_OBJECT) {
      in.skipChildren();
      return null;
    }
    String id = null;
    String incarnation = null;
    Long partition = null;
    while (in.nextToken() == JsonToken.FIELD_NAME) {
      String name = in.currentName();
      in.nextToken();
      switch (name) {
        case "id" -> id = text(in);
        case "inc" -> incarnation = text(in);
        case "part" -> partition = number(in);
        default -> in.skipChildren();
      }
    }
    if (id == null || incarnation == null || partition == null) {
      return null;
    }
    boolean valid =
        Names.valid(id) && Names.valid(incarnation) && partition >= 0 && partition < MAX_PARTITION;
    return valid ? new EdgeRef(id, incarnation, partition.intValue()) : null;
  }

  private static @Nullable List<Event.Roster.Entry> connections(JsonParser in)
      throws IOException, BadRecord {
    if (in.currentToken() != JsonToken.START_ARRAY) {
      in.skipChildren();
      return null;
    }
    List<Event.Roster.Entry> entries = new ArrayList<>();
    while (in.nextToken() == JsonToken.START_ARRAY) {
      String user = in.nextTextValue();
      String client = in.nextTextValue();
      String conn = in.nextTextValue();
      if (!Names.valid(user) || !Names.valid(client) || !Names.valid(conn)) {
        throw new BadRecord("bad_event", "connections must have entries [user, clientId, connId]");
      }
      entries.add(new Event.Roster.Entry(user, client, conn));
      in.nextToken();
    }
    return entries;
  }

  private Event event() throws BadRecord {
    return switch (required(type, "type")) {
      case "message" -> message();
      case "connect" ->
          new Event.Connect(
              name(clientId, "clientId"), conn(), edgeRef(), natural(lastSeq), epoch, attempt);
      case "disconnect" ->
          new Event.Disconnect(
              name(clientId, "clientId"), conn(), edgeRef(), reason == null ? "" : reason);
      case "ack" ->
          new Event.Ack(name(clientId, "clientId"), conn(), edgeRef(), required(seq, "seq"));
      case "resync" ->
          new Event.Resync(
              name(clientId, "clientId"), conn(), edgeRef(), required(seq, "seq"), synced);
      case "roster" ->
          new Event.Roster(
              edgeRef(),
              (int) Math.min(Integer.MAX_VALUE, required(count, "count")),
              required(digest, "digest"),
              connections);
      case "suspect" ->
          new Event.Suspect(required(edgeKey, "edgeKey"), required(seq, "rosterOffset"));
      case "leave" -> new Event.Leave();
      case "expire" -> new Event.Expire();
      case "kick" -> new Event.Kick(kicked());
      case "rules" -> new Event.RulesChange(required(rules, "rules"));
      case "query" -> query();
      default -> throw new BadRecord("unknown_type", "unknown event type");
    };
  }

  /** Whoever misspells the client must not end the connections of all of them. */
  private @Nullable String kicked() throws BadRecord {
    return clientIdGiven ? name(clientId, "clientId") : null;
  }

  private Event message() throws BadRecord {
    String sender = name(from, "from");
    String client = clientId == null ? "" : clientId;
    if (!client.isEmpty()) {
      name(client, "clientId");
    }
    String wrong = clientMsgId == null ? null : MessageId.wrong(clientMsgId, MAX_ID);
    if (wrong != null) {
      throw new BadRecord("bad_event", "clientMsgId " + wrong);
    }
    return new Event.Message(sender, client, clientMsgId, required(payload, "payload"));
  }

  private Event query() throws BadRecord {
    return new Event.Query(
        name(queryId, "queryId"),
        edgeRef(),
        between("after", 0, Long.MAX_VALUE, after),
        (int) between("limit", 1, Event.Query.MAX_LIMIT, limit),
        epoch);
  }

  private String conn() throws BadRecord {
    return name(connId, "connId");
  }

  private EdgeRef edgeRef() throws BadRecord {
    return required(edge, "edge {id, inc, part}");
  }

  private static @Nullable Long natural(@Nullable Long value) throws BadRecord {
    if (value != null && value < 0) {
      throw new BadRecord("bad_event", "lastSeq must not be below 0");
    }
    return value;
  }

  private static long between(String field, long least, long most, @Nullable Long value)
      throws BadRecord {
    long given = required(value, field);
    if (given < least || given > most) {
      throw new BadRecord("bad_event", field + " must be " + least + " to " + most);
    }
    return given;
  }

  private static String name(@Nullable String value, String field) throws BadRecord {
    String given = required(value, field);
    if (!Names.valid(given)) {
      throw new BadRecord("bad_event", field + " must be 1-128 characters of [A-Za-z0-9._~@:-]");
    }
    return given;
  }

  private static <T> T required(@Nullable T value, String field) throws BadRecord {
    if (value == null) {
      throw new BadRecord("bad_event", field + " is missing or of the wrong type");
    }
    return value;
  }
}
