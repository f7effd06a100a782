package dev.holdfast.edge.presence;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.record.BadRecord;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a value of {@code holdfast.presence}; {@code docs/presence.md} describes it. */
final class PresenceCodec {
  private static final String REASON = "bad_presence";

  private @Nullable String status;
  private RawJson clients = RawJson.of("[]");
  private int clientCount;
  private long since = -1;
  private long lastSeen = -1;
  private long rev = -1;

  private PresenceCodec() {}

  /**
   * The record.
   *
   * @param user the record's key, a valid name
   * @throws BadRecord naming what is wrong
   */
  static PresenceState read(String user, byte[] value) throws BadRecord {
    PresenceCodec found = new PresenceCodec();
    try (JsonParser in = JsonIo.parser(value)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw new BadRecord(REASON, "the value is no JSON object");
      }
      while (in.nextToken() == JsonToken.FIELD_NAME) {
        String name = in.currentName();
        in.nextToken();
        found.take(name, in, value);
      }
    } catch (IOException e) {
      throw new BadRecord(REASON, "the value: " + JsonIo.trouble(e));
    }
    return found.state(user);
  }

  private void take(String name, JsonParser in, byte[] utf8) throws IOException {
    switch (name) {
      case "status" -> status = JsonIo.text(in);
      case "since" -> since = number(in);
      case "lastSeen" -> lastSeen = number(in);
      case "rev" -> rev = number(in);
      case "clients" -> clients(in, utf8);
      default -> {}
    }
    in.skipChildren();
  }

  private static long number(JsonParser in) throws IOException {
    return in.currentToken() == JsonToken.VALUE_NUMBER_INT ? in.getLongValue() : -1;
  }

  private void clients(JsonParser in, byte[] utf8) throws IOException {
    if (in.currentToken() != JsonToken.START_ARRAY) {
      return;
    }
    int from = (int) in.currentTokenLocation().getByteOffset();
    clientCount = 0;
    while (in.nextToken() != JsonToken.END_ARRAY) {
      clientCount++;
      in.skipChildren();
    }
    int to = (int) in.currentLocation().getByteOffset();
    clients = RawJson.of(Arrays.copyOfRange(utf8, from, to));
  }

  private PresenceState state(String user) throws BadRecord {
    boolean online = "online".equals(status);
    if (!online && !"offline".equals(status)) {
      throw new BadRecord(REASON, "status must be online or offline");
    }
    if (since < 0 || lastSeen < 0 || rev < 0) {
      throw new BadRecord(REASON, "since, lastSeen and rev must be integers from 0");
    }
    return new PresenceState(user, online, since, lastSeen, clients, clientCount, rev);
  }
}
