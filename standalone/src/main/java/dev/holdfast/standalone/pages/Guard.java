package dev.holdfast.standalone.pages;

import dev.holdfast.edge.page.Pages;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may break things: programs on this machine, and pages that came from this process. The header
 * is one that a foreign page cannot set without being allowed to by a preflight, which it is not;
 * {@code Host} is looked at because a stranger's name can be made to lead to this machine, and his
 * page is then "of the same origin".
 */
final class Guard {
  /** Must be there, with the value 1. */
  static final String HEADER = "X-Holdfast-Dev";

  private final Supplier<Set<String>> own;

  /**
   * @param own the origins of this process's pages
   */
  Guard(Supplier<Set<String>> own) {
    this.own = own;
  }

  /** Why the request is refused; null: it is not. */
  @Nullable String refusal(Pages.Request request) {
    if (!request.peer().isLoopbackAddress()) {
      return "only from this machine";
    }
    if (!isLoopback(request.header("Host"))) {
      return "only by the name localhost or an address of this machine";
    }
    String origin = request.header("Origin");
    if (origin != null && !isOwn(origin)) {
      return "only for pages that this process serves";
    }
    if (!request.method().equals("OPTIONS") && !"1".equals(request.header(HEADER))) {
      return "the header " + HEADER + ": 1 is missing";
    }
    return null;
  }

  private boolean isOwn(String origin) {
    return own.get().contains(origin);
  }

  private static boolean isLoopback(@Nullable String host) {
    if (host == null) {
      return false;
    }
    try {
      String name = new URI("http://" + host).getHost();
      return name != null
          && (name.equalsIgnoreCase("localhost")
              || name.equals("[::1]")
              || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}"));
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
