package dev.holdfast.edge.admission;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** IP addresses as text and as keys. Asks no name server. */
final class Addresses {
  private static final int MOST_CHARS = 45;

  private Addresses() {}

  /** The address that {@code text} is, or null when it is none; names are none. */
  static @Nullable InetAddress parse(String text) {
    boolean six = text.indexOf(':') >= 0;
    if (text.length() > MOST_CHARS || !(six ? isSixChars(text) : isFour(text))) {
      return null;
    }
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      return null; // colons and digits, but no address
    }
  }

  /**
   * The address in a hop of {@code X-Forwarded-For}: {@code A.B.C.D}, {@code A.B.C.D:PORT}, an IPv6
   * address, or one in brackets with or without a port. Null when it is none of these.
   */
  static @Nullable InetAddress parseHop(String hop) {
    if (hop.startsWith("[")) {
      int end = hop.indexOf(']');
      return end < 0 ? null : parse(hop.substring(1, end));
    }
    int colon = hop.indexOf(':');
    boolean port = colon >= 0 && hop.indexOf('.') >= 0 && hop.indexOf(':', colon + 1) < 0;
    return parse(port ? hop.substring(0, colon) : hop);
  }

  /**
   * What counts as one client's: an IPv4 address, or the /64 network of an IPv6 one, of which a
   * subscriber has all. IPv4 behind NAT64 counts as IPv4.
   */
  static long key(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (address instanceof Inet4Address) {
      return four(bytes, 0);
    }
    long network = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      network = (network << Byte.SIZE) | (bytes[i] & 0xff);
    }
    if (network == 0) {
      return 1; // ::1 and the like; no key is 0
    }
    // 64:ff9b::/96 holds all of IPv4.
    return network == 0x0064_ff9b_0000_0000L ? four(bytes, 12) : network;
  }

  private static long four(byte[] bytes, int from) {
    long address = 0xffff;
    for (int i = from; i < from + 4; i++) {
      address = (address << Byte.SIZE) | (bytes[i] & 0xff);
    }
    return address;
  }

  private static boolean isFour(String text) {
    String[] parts = text.split("\\.", -1);
    if (parts.length != 4) {
      return false;
    }
    for (String part : parts) {
      boolean digits =
          !part.isEmpty() && part.length() <= 3 && part.chars().allMatch(Addresses::digit);
      if (!digits || Integer.parseInt(part) > 255) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSixChars(String text) {
    return text.chars().allMatch(c -> c == ':' || c == '.' || isHex(c));
  }

  private static boolean isHex(int c) {
    return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  private static boolean digit(int c) {
    return c >= '0' && c <= '9';
  }
}
