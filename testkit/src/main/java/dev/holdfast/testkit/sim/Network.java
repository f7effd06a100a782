package dev.holdfast.testkit.sim;

import org.jspecify.annotations.Nullable;

/** What a client can find out there. */
interface Network {
  /** An edge that takes connections, or null. */
  @Nullable SimEdge anyEdge();

  /** Whether no user has more clients than the rules allow. */
  boolean nobodyIsDropped();
}
