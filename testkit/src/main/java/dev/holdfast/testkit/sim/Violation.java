package dev.holdfast.testkit.sim;

/** Something that must never be so was so. */
public final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  Violation(String what) {
    super(what);
  }
}
