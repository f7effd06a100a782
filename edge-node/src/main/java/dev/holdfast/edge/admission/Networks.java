package dev.holdfast.edge.admission;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Some networks together. */
public record Networks(List<Cidr> all) {
  /** No network. */
  public static final Networks NONE = new Networks(List.of());

  /** This machine. */
  public static final Networks LOOPBACK =
      new Networks(List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("::1")));

  public Networks {
    all = List.copyOf(all);
  }

  public boolean contains(InetAddress address) {
    for (Cidr one : all) {
      if (one.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Who a request is from, when these are the networks of proxies. Each proxy appends the address
   * it was asked from, so the list is read from its end for as long as it was written by a proxy
   * that is ours; what stands further left, anybody may have written.
   *
   * @param peer the socket's other end; what it forwards counts only when it is one of ours
   * @param forwardedFor lines of {@code X-Forwarded-For}, in order
   */
  InetAddress origin(InetAddress peer, List<String> forwardedFor) {
    InetAddress known = peer;
    for (int line = forwardedFor.size() - 1; line >= 0; line--) {
      String hops = forwardedFor.get(line);
      int end = hops.length();
      while (end >= 0) {
        if (!contains(known)) {
          return known;
        }
        int comma = hops.lastIndexOf(',', end - 1);
        InetAddress hop = hop(hops.substring(comma + 1, end));
        if (hop == null) {
          return known;
        }
        known = hop;
        end = comma;
      }
    }
    return known;
  }

  private static @Nullable InetAddress hop(String text) {
    return Addresses.parseHop(text.trim());
  }
}
