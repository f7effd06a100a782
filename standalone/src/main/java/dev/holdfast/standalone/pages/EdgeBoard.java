package dev.holdfast.standalone.pages;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The edges of this process, as the pages see them. Thread-safe. */
public interface EdgeBoard {
  /** All of them, in order. */
  List<View> edges();

  /**
   * Ends an edge as abruptly as can be within one process, soon; it comes back by itself.
   *
   * @return what happens
   */
  Kill kill(String id);

  /** What became of the wish to kill. */
  enum Kill {
    /** It dies now. */
    DYING,
    /** It is down already. */
    DOWN,
    /** There is no such edge. */
    UNKNOWN
  }

  /**
   * One edge.
   *
   * @param http where it answers, like {@code http://127.0.0.1:8080}
   * @param ws its WebSocket
   * @param relay the same through the relay; null where there is none
   */
  record View(String id, boolean up, String http, String ws, @Nullable String relay) {}
}
