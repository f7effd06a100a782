package dev.holdfast.standalone.pages;

import dev.holdfast.edge.page.Pages;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that {@code dev} serves: a fixed list, read from the jar at the start, so that no path
 * leads anywhere else. Browsers keep them and ask each time whether they are still true.
 */
final class StaticPages {
  /** Where the JavaScript library is; made by the module client-js. */
  static final String LIBRARY = "/holdfast-client.js";

  /** What the library loads from beside it when it needs it. */
  private static final List<String> PARTS = List.of("/tabs.js", "/history.js");

  private static final List<String> FILES =
      List.of(
          "/index.html",
          "/chat.html",
          "/market.html",
          "/style.css",
          "/chat.js",
          "/market.js",
          "/panel.js",
          "/peer.js",
          "/dev.js",
          "/lines.js",
          "/phone.js",
          "/user.js",
          "/start.js",
          "/icon.svg");

  /** Only what comes from here runs; a page may speak with the edges, whose ports differ. */
  private static final String POLICY =
      "default-src 'self'; connect-src 'self' ws: wss: http: https:; worker-src 'self' blob:;"
          + " img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private static final String WITHOUT_LIBRARY =
      "export const missing = true;\nexport class HoldfastClient {}\n";

  private final Map<String, File> files = new HashMap<>();
  private final boolean library;

  private static final class File {
    final byte[] body;
    final Map<String, String> headers;
    final String etag;

    File(String path, byte[] body) {
      this.body = body;
      this.etag = '"' + digest(body) + '"';
      Map<String, String> all = new LinkedHashMap<>();
      all.put("Content-Type", type(path));
      all.put("Cache-Control", "no-cache");
      all.put("ETag", etag);
      all.put("Content-Security-Policy", POLICY);
      all.put("X-Content-Type-Options", "nosniff");
      all.put("Referrer-Policy", "no-referrer");
      this.headers = Map.copyOf(all);
    }
  }

  StaticPages() {
    for (String path : FILES) {
      byte[] body = resource(path);
      if (body == null) {
        throw new IllegalStateException("the jar lacks pages" + path);
      }
      files.put(path, new File(path, body));
    }
    File start = files.get("/index.html");
    if (start != null) {
      files.put("/", start);
    }
    for (String path : PARTS) {
      byte[] part = resource(path);
      if (part != null) {
        files.put(path, new File(path, part));
      }
    }
    byte[] built = resource(LIBRARY);
    library = built != null;
    byte[] body = built == null ? WITHOUT_LIBRARY.getBytes(StandardCharsets.UTF_8) : built;
    files.put(LIBRARY, new File(LIBRARY, body));
  }

  /** Whether the build had Node, and so the pages have the library. */
  boolean hasLibrary() {
    return library;
  }

  /** The file at the path; null where there is none. */
  Pages.@Nullable Answer answer(Pages.Request request) {
    File file = files.get(request.path());
    if (file == null) {
      return null;
    }
    if (!request.reads()) {
      return new Pages.Answer(405, Map.of("Allow", "GET, HEAD"), new byte[0]);
    }
    String known = request.header("If-None-Match");
    if (known != null
        && Arrays.stream(known.split(",", -1)).map(String::strip).anyMatch(file.etag::equals)) {
      return new Pages.Answer(304, file.headers, new byte[0]);
    }
    return new Pages.Answer(200, file.headers, file.body);
  }

  private static String type(String path) {
    return switch (path.substring(path.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new IllegalStateException("no content type is known for " + path);
    };
  }

  private static byte @Nullable [] resource(String path) {
    try (InputStream in = StaticPages.class.getResourceAsStream("/pages" + path)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(byte[] body) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(body);
      return HexFormat.of().formatHex(hash, 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
