package dev.holdfast.testkit.sim;

/** Mistakes made on purpose, to see that the simulator finds them. */
public enum Variant {
  /** No mistake. */
  NONE,
  /** Messages come from two logs, which a replay may interleave differently. */
  TWO_LOGS,
  /** A step's time is the instance's clock instead of the log's. */
  CLOCK_IN_STEP,
  /** A dying instance leaves its rows behind, but not the offset they belong to. */
  ROWS_WITHOUT_OFFSET,
  /** A dying instance leaves its offset behind, but not the rows that belong to it. */
  OFFSET_WITHOUT_ROWS,
  /** A connect does not count as a sign of life of its edge. */
  CONNECT_IS_NO_SIGN_OF_LIFE,
  /** A proposal is stamped with its proposer's clock instead of the broker's. */
  PROPOSERS_STAMP,
  /** What a rebuild moves again is taken whatever its age. */
  OLD_COPIES_TAKEN,
  /** Who was quiet during a rebuild does not make up for it. */
  QUIET_FOR_GOOD,
  /** The edge passes every message on, repeats and all. */
  NO_FILTER
}
