package dev.holdfast.edge.presence;

import org.jspecify.annotations.Nullable;

/**
 * All watches of one user, linked through the watches themselves: ending one costs the same however
 * many there are, as when the connections of an edge close together. On the presence thread.
 */
final class WatchList {
  private @Nullable Watch first;

  void add(Watch watch) {
    watch.linked = true;
    watch.after = first;
    if (first != null) {
      first.before = watch;
    }
    first = watch;
  }

  void remove(Watch watch) {
    Watch before = watch.before;
    Watch after = watch.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after != null) {
      after.before = before;
    }
    watch.before = null;
    watch.after = null;
    watch.linked = false;
  }

  @Nullable Watch first() {
    return first;
  }

  /** Tells those that were answered before and to whom {@code now} says something else. */
  void tell(PresenceState now) {
    Watch next = first;
    while (next != null) {
      Watch watch = next;
      next = watch.after;
      PresenceState told = watch.state();
      if (told != null && !told.saysTheSame(now)) {
        watch.tell(now);
      }
    }
  }
}
