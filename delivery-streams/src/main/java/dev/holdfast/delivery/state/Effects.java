package dev.holdfast.delivery.state;

import dev.holdfast.RawJson;
import dev.holdfast.record.Delivery;

/** What a step does beside changing rows. */
public interface Effects {
  /** Tells an edge to do something for a connection. */
  void deliver(Delivery delivery);

  /** Who is online has changed, or is told again; {@code record} is the user's newest presence. */
  void presence(String user, RawJson record);

  /** The event cannot be applied; it goes aside with the reason. */
  void deadLetter(String reason, String detail);

  /** A message that the mailbox already has was dropped. */
  void repeat();
}
