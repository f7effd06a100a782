package dev.holdfast.delivery.state;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How rows are keyed. A user's rows lie together, the mailbox row last: it is always alive, so a
 * scan over messages ends there and never walks through a neighbour's tombstones (D5).
 *
 * <pre>
 *   01                              the partition's own row
 *   01 01                           the topic id of the log that the rows come from
 *   01 02                           while an application that began without state is quiet
 *   02 edge 00 user 00 client       a connection of an edge
 *   02 edge 00 FF                   always alive, ends a scan over them
 *   03 edge                         the edge's lease
 *   04 time user                    who is leaving, by time
 *   04 FF…                          always alive, ends a scan over them
 *   user 00 'd' hash                a known message identity
 *   user 00 'm' seq                 a message
 *   user 00 'z'                     the mailbox with its clients
 * </pre>
 *
 * Names contain neither 00 nor bytes below 2D, so the ranges cannot meet.
 */
public final class Keys {
  private static final byte[] PARTITION = {1};
  private static final byte[] LEASES = {3};
  private static final byte[] LEASES_END = {4};
  private static final byte[] LEAVING_SENTINEL = {4, -1, -1, -1, -1, -1, -1, -1, -1};

  private Keys() {}

  /** The partition's own row. */
  public static byte[] partition() {
    return PARTITION.clone();
  }

  /** Which log the rows come from. */
  public static byte[] logId() {
    return new byte[] {1, 1};
  }

  /** How long an application that began without state emits nothing. */
  public static byte[] quiet() {
    return new byte[] {1, 2};
  }

  /** Where the leases begin. */
  public static byte[] leases() {
    return LEASES.clone();
  }

  /** One past the last lease. */
  public static byte[] leasesEnd() {
    return LEASES_END.clone();
  }

  /** Always alive: ends a scan over {@link #leaving}. */
  public static byte[] leavingSentinel() {
    return LEAVING_SENTINEL.clone();
  }

  public static byte[] mailbox(String user) {
    return userKey(user, 'z', 0);
  }

  public static byte[] message(String user, long seq) {
    byte[] key = userKey(user, 'm', Long.BYTES);
    ByteBuffer.wrap(key).putLong(key.length - Long.BYTES, seq);
    return key;
  }

  public static byte[] identity(String user, byte[] hash) {
    byte[] key = userKey(user, 'd', hash.length);
    System.arraycopy(hash, 0, key, key.length - hash.length, hash.length);
    return key;
  }

  public static byte[] lease(String edgeKey) {
    return prefixed(3, edgeKey);
  }

  public static byte[] connection(String edgeKey, String user, String clientId) {
    return prefixed(2, edgeKey + '\0' + user + '\0' + clientId);
  }

  /** First key of an edge's connections. */
  public static byte[] connections(String edgeKey) {
    return prefixed(2, edgeKey + '\0');
  }

  /** The live row behind an edge's connections; also the end of their range. */
  public static byte[] connectionsSentinel(String edgeKey) {
    byte[] key = Arrays.copyOf(connections(edgeKey), connections(edgeKey).length + 1);
    key[key.length - 1] = -1;
    return key;
  }

  /** The user in a key made by {@link #connection}. */
  public static String connectionUser(byte[] key, String edgeKey) {
    String rest = connectionRest(key, edgeKey);
    return rest.substring(0, rest.indexOf('\0'));
  }

  /** The client in a key made by {@link #connection}. */
  public static String connectionClient(byte[] key, String edgeKey) {
    String rest = connectionRest(key, edgeKey);
    return rest.substring(rest.indexOf('\0') + 1);
  }

  public static byte[] leaving(long time, String user) {
    byte[] name = user.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(1 + Long.BYTES + name.length)
        .put((byte) 4)
        .putLong(time)
        .put(name)
        .array();
  }

  /** The time in a key made by {@link #leaving}. */
  public static long leavingTime(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1);
  }

  /** The user in a key made by {@link #leaving}; empty for the sentinel. */
  public static String leavingUser(byte[] key) {
    int from = 1 + Long.BYTES;
    return new String(key, from, key.length - from, StandardCharsets.US_ASCII);
  }

  /** The smallest key above every row of {@code user}. */
  public static byte[] afterUser(String user) {
    byte[] key = user.getBytes(StandardCharsets.US_ASCII);
    byte[] after = Arrays.copyOf(key, key.length + 1);
    after[key.length] = 1;
    return after;
  }

  private static String connectionRest(byte[] key, String edgeKey) {
    int from = 1 + edgeKey.length() + 1;
    return new String(key, from, key.length - from, StandardCharsets.US_ASCII);
  }

  private static byte[] prefixed(int prefix, String rest) {
    byte[] text = rest.getBytes(StandardCharsets.US_ASCII);
    byte[] key = new byte[1 + text.length];
    key[0] = (byte) prefix;
    System.arraycopy(text, 0, key, 1, text.length);
    return key;
  }

  @SuppressWarnings("deprecation") // String.getBytes(int,…) copies ASCII without an encoder.
  private static byte[] userKey(String user, char tag, int extra) {
    int length = user.length();
    byte[] key = new byte[length + 2 + extra];
    user.getBytes(0, length, key, 0);
    key[length + 1] = (byte) tag;
    return key;
  }
}
