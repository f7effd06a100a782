package dev.holdfast.record;

/** The 64-bit hash of a connection id that rosters combine by exclusive or. */
public final class ConnDigest {
  private ConnDigest() {}

  /** FNV-1a over the characters, then a finalizer so that few connections do not cancel out. */
  public static long of(String connId) {
    long h = 0xcbf29ce484222325L;
    for (int i = 0; i < connId.length(); i++) {
      h = (h ^ connId.charAt(i)) * 0x100000001b3L;
    }
    h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
    return h ^ (h >>> 33);
  }
}
