package dev.holdfast.edge.page;

import java.net.InetAddress;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Answers at paths that are none of the edge's own. Called from several threads at a time. */
@FunctionalInterface
public interface Pages {
  /** Nothing anywhere. */
  Pages NONE = request -> null;

  /** Most bytes of a request's body; a larger one is answered 413 and never gets here. */
  int MOST_BODY_BYTES = 16 * 1024;

  /**
   * The answer, or null: there is nothing at this path. Runs on one of the edge's few task threads,
   * so it may wait for milliseconds and no longer.
   */
  @Nullable Answer answer(Request request);

  /**
   * What was asked.
   *
   * @param method like {@code GET}
   * @param path decoded, beginning with a slash, without the query; whatever the client sent, also
   *     {@code /../x}
   * @param headers the first value of a header by its name in any case, null where it is not there
   * @param peer who is connected
   * @param body empty where there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares requests
  record Request(
      String method,
      String path,
      Function<String, @Nullable String> headers,
      InetAddress peer,
      byte[] body) {

    /** Whether it only reads: GET or HEAD. A HEAD is answered as a GET; its body stays here. */
    public boolean reads() {
      return method.equals("GET") || method.equals("HEAD");
    }

    /** The first value of a header; null where it is not there. */
    public @Nullable String header(String name) {
      return headers.apply(name);
    }
  }

  /**
   * What is said to it.
   *
   * @param status of HTTP
   * @param headers by their name
   * @param body not changed by anybody later
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares answers
  record Answer(int status, Map<String, String> headers, byte[] body) {}
}
