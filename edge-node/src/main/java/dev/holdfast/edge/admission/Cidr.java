package dev.holdfast.edge.admission;

import java.net.InetAddress;

/**
 * A network, like {@code 10.0.0.0/8}.
 *
 * @param address an address in it
 * @param bits how many leading bits an address must share with it
 */
public record Cidr(InetAddress address, int bits) {

  public Cidr {
    int most = address.getAddress().length * Byte.SIZE;
    if (bits < 0 || bits > most) {
      throw new IllegalArgumentException("/" + bits + " is not between /0 and /" + most);
    }
  }

  /**
   * Reads {@code ADDRESS/BITS}, or an address alone for just that one. Asks no name server.
   *
   * @throws IllegalArgumentException with a sentence, for anything else
   */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    InetAddress address = Addresses.parse(slash < 0 ? text : text.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException(
          "'" + text + "' is no network like 10.0.0.0/8 or 2001:db8::/32");
    }
    try {
      int most = address.getAddress().length * Byte.SIZE;
      int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
      return new Cidr(address, bits);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no network like 10.0.0.0/8 or 2001:db8::/32", e);
    }
  }

  /** Whether it is one of this network's addresses. */
  public boolean contains(InetAddress other) {
    byte[] mine = address.getAddress();
    byte[] theirs = other.getAddress();
    if (mine.length != theirs.length) {
      return false;
    }
    int whole = bits / Byte.SIZE;
    for (int i = 0; i < whole; i++) {
      if (mine[i] != theirs[i]) {
        return false;
      }
    }
    int rest = bits % Byte.SIZE;
    return rest == 0 || (((mine[whole] ^ theirs[whole]) & 0xff) >> (Byte.SIZE - rest)) == 0;
  }
}
