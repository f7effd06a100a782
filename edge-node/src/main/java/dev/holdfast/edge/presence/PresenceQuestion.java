package dev.holdfast.edge.presence;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Somebody who waits until a partition is read: a watch, or a lookup. */
final class PresenceQuestion {
  private final long deadlineMs;
  private final @Nullable Watch watch;
  private final String user;
  private final @Nullable Consumer<@Nullable PresenceState> lookup;

  private PresenceQuestion(
      long deadlineMs,
      @Nullable Watch watch,
      String user,
      @Nullable Consumer<@Nullable PresenceState> lookup) {
    this.deadlineMs = deadlineMs;
    this.watch = watch;
    this.user = user;
    this.lookup = lookup;
  }

  static PresenceQuestion of(Watch watch, long deadlineMs) {
    return new PresenceQuestion(deadlineMs, watch, watch.user(), null);
  }

  static PresenceQuestion of(
      String user, Consumer<@Nullable PresenceState> lookup, long deadlineMs) {
    return new PresenceQuestion(deadlineMs, null, user, lookup);
  }

  boolean due(long nowMs) {
    return nowMs >= deadlineMs;
  }

  String user() {
    return user;
  }

  /** The watch that asks; null for a lookup. */
  @Nullable Watch watch() {
    return watch;
  }

  /** Tells whoever asks, unless the watch has ended meanwhile. */
  void answer(PresenceState state) {
    Watch asking = watch;
    if (asking != null) {
      asking.waits = false;
      if (asking.linked) {
        asking.tell(state);
      }
    } else if (lookup != null) {
      lookup.accept(state);
    }
  }

  /** Tells a lookup that there is no answer. */
  void giveUp() {
    if (watch != null) {
      watch.waits = false;
    } else if (lookup != null) {
      lookup.accept(null);
    }
  }
}
