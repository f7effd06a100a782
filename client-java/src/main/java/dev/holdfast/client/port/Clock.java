package dev.holdfast.client.port;

/** Two clocks: one that people set, and one that only goes on. */
public interface Clock {
  /** Milliseconds since 1970; may be set forward and back. */
  long wallMs();

  /**
   * Milliseconds since some moment; never goes back, and may stand still while a machine sleeps.
   */
  long tickMs();
}
