package dev.holdfast.delivery.topology;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether both of a hot pair's applications run (D14), judged from what is seen of the other one's
 * group. Pure; not for several threads.
 */
final class Pair {
  /** A restart, also one after a kill, is over by then. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How often an operator is told again. */
  static final Duration REMINDER = Duration.ofMinutes(1);

  /** What a look at the other application shows. */
  enum Sight {
    /** It never ran on this cluster, or was taken away. */
    NEVER_THERE,
    /** It ran, and none of its instances does now. */
    NO_MEMBER,
    MEMBERS
  }

  /** What is told. */
  enum State {
    /** There is no pair. */
    NONE,
    BOTH,
    ALONE;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private State state = State.NONE;
  private @Nullable Instant aloneSince;
  private @Nullable Instant told;

  State state() {
    return state;
  }

  /** Since when the other one has had no member, as far as was seen. */
  @Nullable Instant aloneSince() {
    return aloneSince;
  }

  /**
   * Takes note of a look.
   *
   * @return whether an operator is to be told now that the pair has only one
   */
  boolean look(Sight sight, Instant now) {
    if (sight != Sight.NO_MEMBER) {
      state = sight == Sight.MEMBERS ? State.BOTH : State.NONE;
      aloneSince = null;
      told = null;
      return false;
    }
    Instant since = aloneSince == null ? now : aloneSince;
    aloneSince = since;
    boolean forLong = !now.isBefore(since.plus(PATIENCE));
    // One that this process has never seen with members is not there, however short the look.
    if (forLong || state == State.NONE) {
      state = State.ALONE;
    }
    if (!forLong || (told != null && now.isBefore(told.plus(REMINDER)))) {
      return false;
    }
    told = now;
    return true;
  }
}
