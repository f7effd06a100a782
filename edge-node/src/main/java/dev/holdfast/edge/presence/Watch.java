package dev.holdfast.edge.presence;

import org.jspecify.annotations.Nullable;

/** One connection's interest in one user; the connection may add what it needs itself. */
public class Watch {
  private final Watcher watcher;
  private final String user;
  private volatile @Nullable PresenceState state;

  // The desk's: a link in the list of the user's watches. On the presence thread only.
  @Nullable Watch before;
  @Nullable Watch after;
  boolean linked;
  boolean waits;

  public Watch(Watcher watcher, String user) {
    this.watcher = watcher;
    this.user = user;
  }

  /** Who is watched. */
  public final String user() {
    return user;
  }

  /** The newest that is to be told; never one older than before. Null before the first answer. */
  public final @Nullable PresenceState state() {
    return state;
  }

  final Watcher watcher() {
    return watcher;
  }

  /** On the presence thread. */
  final void tell(PresenceState newest) {
    state = newest;
    watcher.changed(this);
  }
}
