package dev.holdfast;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The one JSON factory, and the two things that streaming needs beside it: a value as the bytes it
 * was written in, and writing to a byte array.
 */
public final class JsonIo {
  /** Deepest nesting that is read; the depth of the attack in the tests is 100 000. */
  public static final int MAX_DEPTH = Limits.DEFAULT.jsonDepth();

  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          // JSON is UTF-8 here; a guess at something else would make byte offsets meaningless.
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(4 * 1024 * 1024)
                  .build())
          .build();

  private JsonIo() {}

  /** Writes one JSON value. */
  @FunctionalInterface
  public interface Writer {
    void write(JsonGenerator out) throws IOException;
  }

  /** A parser over {@code utf8}; the caller closes it. */
  public static JsonParser parser(byte[] utf8) throws IOException {
    return FACTORY.createParser(utf8, 0, utf8.length);
  }

  /** What {@code writer} writes, in UTF-8. */
  public static byte[] write(Writer writer) {
    try (ByteArrayBuilder bytes = new ByteArrayBuilder(FACTORY._getBufferRecycler(), 512);
        JsonGenerator out = FACTORY.createGenerator(bytes)) {
      writer.write(out);
      out.flush();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
  }

  /**
   * The value at the parser's current token, as its bytes in {@code utf8}; the parser then stands
   * on the value's last token.
   */
  public static RawJson raw(JsonParser in, byte[] utf8) throws IOException {
    int from = (int) in.currentTokenLocation().getByteOffset();
    if (in.currentToken().isStructStart()) {
      in.skipChildren();
    } else {
      in.finishToken();
    }
    int to = (int) in.currentLocation().getByteOffset();
    return RawJson.of(Arrays.copyOfRange(utf8, from, to));
  }

  /** Text at the current token, or null when it is no string. */
  public static @Nullable String text(JsonParser in) throws IOException {
    return in.currentToken() == JsonToken.VALUE_STRING ? in.getText() : null;
  }

  /**
   * Why a parser gave up, for people: what came is not JSON from some byte on, counted from 0; or
   * it is JSON, but beyond what is read. Repeats nothing that came.
   */
  public static String trouble(IOException e) {
    if (e instanceof StreamConstraintsException beyond) {
      // The library tells its limits apart only in its text; a test watches over that.
      return beyond.getOriginalMessage().contains("nesting depth")
          ? "nested deeper than " + MAX_DEPTH
          : "a number or a field's name is too long";
    }
    if (e instanceof JsonParseException bad) {
      return "not JSON at byte " + bad.getLocation().getByteOffset();
    }
    return "a number is out of its range";
  }

  /** Writes {@code value} as the next value, untouched. */
  public static void writeRaw(JsonGenerator out, RawJson value) throws IOException {
    out.writeRawValue(new RawValue(value.utf8()));
  }

  /** Bytes that are already UTF-8, without a detour over characters. */
  private static final class RawValue implements com.fasterxml.jackson.core.SerializableString {
    private final byte[] utf8;

    RawValue(byte[] utf8) {
      this.utf8 = utf8;
    }

    @Override
    public String getValue() {
      return RawJson.of(utf8).toString();
    }

    @Override
    public int charLength() {
      return getValue().length();
    }

    @Override
    public char[] asQuotedChars() {
      throw new UnsupportedOperationException("written raw only");
    }

    @Override
    public byte[] asUnquotedUTF8() {
      return utf8;
    }

    @Override
    public byte[] asQuotedUTF8() {
      throw new UnsupportedOperationException("written raw only");
    }

    @Override
    public int appendQuotedUTF8(byte[] buffer, int offset) {
      throw new UnsupportedOperationException("written raw only");
    }

    @Override
    public int appendQuoted(char[] buffer, int offset) {
      throw new UnsupportedOperationException("written raw only");
    }

    @Override
    public int appendUnquotedUTF8(byte[] buffer, int offset) {
      if (offset + utf8.length > buffer.length) {
        return -1;
      }
      System.arraycopy(utf8, 0, buffer, offset, utf8.length);
      return utf8.length;
    }

    @Override
    public int appendUnquoted(char[] buffer, int offset) {
      throw new UnsupportedOperationException("written to bytes only");
    }

    @Override
    public int writeQuotedUTF8(java.io.OutputStream out) {
      throw new UnsupportedOperationException("written raw only");
    }

    @Override
    public int writeUnquotedUTF8(java.io.OutputStream out) throws IOException {
      out.write(utf8);
      return utf8.length;
    }

    @Override
    public int putQuotedUTF8(java.nio.ByteBuffer buffer) {
      throw new UnsupportedOperationException("written raw only");
    }

    @Override
    public int putUnquotedUTF8(java.nio.ByteBuffer buffer) {
      if (buffer.remaining() < utf8.length) {
        return -1;
      }
      buffer.put(utf8);
      return utf8.length;
    }
  }
}
