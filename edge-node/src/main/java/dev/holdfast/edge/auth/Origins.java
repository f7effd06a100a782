package dev.holdfast.edge.auth;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which web pages may open a socket here. A browser says in {@code Origin} where its page comes
 * from; other programs say nothing and are not concerned.
 */
public final class Origins {
  /** Pages of the host that is asked. */
  public static final Origins SAME_HOST = new Origins(Set.of(), true, false);

  /**
   * Pages of this machine on any port: for development. Not those of the host that is asked: a
   * stranger's name can be made to lead to this machine, and his page is then of "the same host".
   */
  public static final Origins LOOPBACK = new Origins(Set.of(), false, true);

  private final Set<String> named;
  private final boolean sameHost;
  private final boolean loopback;

  private Origins(Set<String> named, boolean sameHost, boolean loopback) {
    this.named = named;
    this.sameHost = sameHost;
    this.loopback = loopback;
  }

  /**
   * Exactly these, also not the host's own pages.
   *
   * @param origins like {@code https://chat.example.com}; {@code *} is every origin
   * @throws IllegalArgumentException for what is no origin
   */
  public static Origins only(List<String> origins) {
    return new Origins(
        origins.stream().map(Origins::checked).collect(Collectors.toUnmodifiableSet()),
        false,
        false);
  }

  /**
   * Whether a page may connect.
   *
   * @param origin the header {@code Origin}; null when there is none
   * @param host the header {@code Host}
   */
  public boolean allow(@Nullable String origin, @Nullable String host) {
    if (origin == null || named.contains("*")) {
      return true;
    }
    URI page = parse(origin);
    if (page == null) {
      return false;
    }
    return named.contains(text(page))
        || (sameHost && host != null && isHost(page, host))
        || (loopback && isLoopback(page.getHost()));
  }

  /** With the scheme's own port where one side names it and the other does not. */
  private static boolean isHost(URI page, String host) {
    String asked = host.toLowerCase(Locale.ROOT);
    String bare = page.getHost().toLowerCase(Locale.ROOT);
    int port = port(page);
    return asked.equals(port < 0 ? bare : bare + ":" + port)
        || (port < 0 && asked.equals(bare + ":" + defaultPort(page)));
  }

  private static boolean isLoopback(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.equals("[::1]")
        || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  private static String checked(String origin) {
    URI page = origin.equals("*") ? null : parse(origin);
    if (page == null && !origin.equals("*")) {
      throw new IllegalArgumentException(
          "'" + origin + "' is no origin: scheme://host or scheme://host:port, nothing after it");
    }
    return page == null ? origin : text(page);
  }

  private static @Nullable URI parse(String origin) {
    try {
      URI uri = new URI(origin);
      boolean bare =
          uri.getScheme() != null
              && uri.getHost() != null
              && uri.getUserInfo() == null
              && "".equals(uri.getPath())
              && uri.getQuery() == null
              && uri.getFragment() == null;
      return bare ? uri : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }

  private static String text(URI page) {
    int port = port(page);
    String bare = page.getScheme() + "://" + page.getHost();
    return (port < 0 ? bare : bare + ":" + port).toLowerCase(Locale.ROOT);
  }

  /** The port, or -1 where it is the scheme's own. */
  private static int port(URI page) {
    return page.getPort() == defaultPort(page) ? -1 : page.getPort();
  }

  private static int defaultPort(URI page) {
    return switch (page.getScheme().toLowerCase(Locale.ROOT)) {
      case "http", "ws" -> 80;
      case "https", "wss" -> 443;
      default -> -1;
    };
  }
}
