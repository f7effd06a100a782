package dev.holdfast.testkit.sim;

import dev.holdfast.delivery.state.Keys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The users who have rows, whoever they are. */
final class Users {
  private static final byte[] END = {0x7F};

  private Users() {}

  static List<String> of(MemoryRows rows) {
    List<String> users = new ArrayList<>();
    byte[] from = {'-'};
    for (String user = next(rows, from); !user.isEmpty(); user = next(rows, from)) {
      users.add(user);
      from = Keys.afterUser(user);
    }
    return users;
  }

  private static String next(MemoryRows rows, byte[] from) {
    StringBuilder user = new StringBuilder();
    rows.scan(
        from,
        END,
        (key, value) -> {
          int end = 0;
          while (key[end] != 0) {
            end++;
          }
          user.append(new String(key, 0, end, StandardCharsets.US_ASCII));
          return false;
        });
    return user.toString();
  }
}
