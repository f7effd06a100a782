package dev.holdfast.edge.presence;

import java.util.List;

/** Whoever watches users: one connection. Called on the presence thread, which must not wait. */
public interface Watcher {
  /** {@link Watch#state} is there, or is another one. */
  void changed(Watch watch);

  /** These could not be answered in time or within the node's memory; they have ended. */
  void gaveUp(List<Watch> watches);
}
