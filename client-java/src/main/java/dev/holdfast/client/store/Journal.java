package dev.holdfast.client.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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

  static void writeAll(FileChannel file, byte[] bytes) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(bytes);
    while (rest.hasRemaining()) {
      file.write(rest);
    }
  }

  /**
   * Writes a journal of this one line beside the old one, and renames it over that.
   *
   * @return the new one, open; when this fails the old one stands and nothing else is left
   */
  static FileChannel rewrite(Path dir, byte[] line) throws IOException {
    Path fresh = dir.resolve("journal.new");
    FileChannel next =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      writeAll(next, line);
      next.force(true);
      Files.move(
          fresh,
          dir.resolve("journal"),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      return next;
    } catch (IOException | RuntimeException e) {
      try (next) {
        Files.deleteIfExists(fresh);
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private static byte[] head(byte[] body) {
    CRC32C crc = new CRC32C();
    crc.update(body, 0, body.length);
    return String.format("%08x ", crc.getValue()).getBytes(StandardCharsets.US_ASCII);
  }
}
