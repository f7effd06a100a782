package dev.holdfast.client.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.zip.CRC32C;

/** Lines of a journal: eight hex digits of a checksum, a space, a JSON object, a line feed. */
final class Journal {
  private static final int HEAD = 9;

  private Journal() {}

  static byte[] line(Map<String, String> set, Collection<String> deleted) {
    ObjectNode change = Json.object();
    ObjectNode values = change.putObject("set");
    set.forEach(values::put);
    ArrayNode gone = change.putArray("delete");
    deleted.forEach(gone::add);
    byte[] body = change.toString().getBytes(StandardCharsets.UTF_8);
    byte[] line = Arrays.copyOf(head(body), HEAD + body.length + 1);
    System.arraycopy(body, 0, line, HEAD, body.length);
    line[line.length - 1] = '\n';
    return line;
  }

  /** The index of the next line feed; -1 where there is none. */
  static int lineEnd(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  /** Applies a line to the values; false when it is damaged. */
  static boolean apply(byte[] line, Map<String, String> values) {
    if (line.length <= HEAD) {
      return false;
    }
    byte[] body = Arrays.copyOfRange(line, HEAD, line.length);
    if (!Arrays.equals(head(body), Arrays.copyOf(line, HEAD))) {
      return false;
    }
    JsonNode change = Json.read(new String(body, StandardCharsets.UTF_8));
    change.path("delete").forEach(key -> values.remove(key.asText()));
    JsonNode set = change.path("set");
    for (Iterator<String> keys = set.fieldNames(); keys.hasNext(); ) {
      String key = keys.next();
      values.put(key, set.path(key).asText());
    }
    return true;
  }

  private static byte[] head(byte[] body) {
    CRC32C crc = new CRC32C();
    crc.update(body, 0, body.length);
    return String.format("%08x ", crc.getValue()).getBytes(StandardCharsets.US_ASCII);
  }
}
