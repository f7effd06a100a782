package dev.holdfast.edge.auth;

import java.util.List;

/**
 * Names that a token allows: each pattern is a name, or the start of one with {@code *} at its end;
 * {@code *} alone allows every name. An empty list allows none.
 */
public final class Patterns {
  /** Every name. */
  public static final Patterns ALL = of(List.of("*"));

  /** Most patterns in one claim: they are gone through for each recipient. */
  static final int MAX = 100;

  private final List<String> patterns;
  private final boolean all;

  private Patterns(List<String> patterns) {
    this.patterns = patterns;
    this.all = patterns.contains("*");
  }

  /**
   * @throws IllegalArgumentException naming what is wrong, for a pattern with {@code *} elsewhere
   *     than at its end, an empty one, or too many
   */
  public static Patterns of(List<String> patterns) {
    if (patterns.size() > MAX) {
      throw new IllegalArgumentException("at most " + MAX + " patterns");
    }
    for (String pattern : patterns) {
      int star = pattern.indexOf('*');
      if (pattern.isEmpty() || (star >= 0 && star < pattern.length() - 1)) {
        throw new IllegalArgumentException("a pattern has '*' at its end or not at all");
      }
    }
    return new Patterns(List.copyOf(patterns));
  }

  /** Whether {@code name} is allowed. */
  public boolean allow(String name) {
    if (all) {
      return true;
    }
    for (int i = 0; i < patterns.size(); i++) {
      if (matches(patterns.get(i), name)) {
        return true;
      }
    }
    return false;
  }

  /** Whether every one of {@code names} is allowed. */
  public boolean allowAll(List<String> names) {
    for (int i = 0; !all && i < names.size(); i++) {
      if (!allow(names.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(String pattern, String name) {
    int last = pattern.length() - 1;
    return pattern.charAt(last) == '*'
        ? name.regionMatches(0, pattern, 0, last)
        : pattern.equals(name);
  }

  @Override
  public String toString() {
    return patterns.toString();
  }
}
