package dev.holdfast.standalone;

import java.util.Collection;
import java.util.Optional;

/** Finds what somebody who mistyped a name most likely meant. */
final class Nearest {
  private Nearest() {}

  /** The name nearest to {@code typed}, unless none is near. */
  static Optional<String> to(String typed, Collection<String> names) {
    String best = null;
    int least = Integer.MAX_VALUE;
    for (String name : names) {
      int distance = name.startsWith(typed) ? 1 : distance(typed, name);
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    return least <= Math.max(2, typed.length() / 2) ? Optional.ofNullable(best) : Optional.empty();
  }

  /** Levenshtein's distance, by rows. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(Math.min(row[j - 1], above) + 1, diagonal + change);
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}
