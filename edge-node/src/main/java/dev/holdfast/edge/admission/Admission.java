package dev.holdfast.edge.admission;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Judges everybody who comes, before anything is done for them. Limits by address come first, so
 * that one address cannot use up what the node has for all. Thread-safe.
 *
 * <pre>
 *  accept ──> socket()   number and rate of sockets     dropped
 *             crowded()  sockets of the node            wait to be accepted
 *  GET /v1/ws connect()  address, then node             429, 503
 *  hello      user()     rate of the user               4005
 *  frames     ConnectionGuard.frame()                   error rate_limited, then 4005
 *  send       ConnectionGuard.newRecipients()           error rate_limited
 *  history    history()  rate of the user               429
 *             reading()  rate of the user or address    429
 * </pre>
 */
public final class Admission {
  /** Addresses, and users, whose rate is remembered at once. */
  private static final int REMEMBERED = 1 << 16;

  /** A TLS handshake costs more than an upgrade, but a page may fetch a few things as well. */
  private static final double SOCKETS_PER_HANDSHAKE = 10;

  private static final int IP_SPREAD_S = 10;
  private static final int NODE_SPREAD_S = 3;
  private static final int USER_SPREAD_MS = 1_000;
  private static final int LONGEST_SPREAD_S = 120;

  private final AdmissionConfig config;
  private final LongSupplier nowMs;
  private final RandomGenerator random;
  private final Gcra nodeRate;
  private final RateTable addresses;
  private final RateTable sockets;
  private final RateTable users;
  private final RateTable histories;
  private final RateTable readings;
  private final RateTable newRecipients;
  private final Occupancy occupancy;
  private final Crowd crowd = new Crowd();
  private final AtomicInteger awaitingHello = new AtomicInteger();
  private final AtomicInteger openSockets = new AtomicInteger();
  final Gcra frames;
  final Gcra bytes;
  private long nodeState = Gcra.UNUSED;

  /**
   * @param nowMs monotonic milliseconds
   */
  public Admission(AdmissionConfig config, LongSupplier nowMs, RandomGenerator random) {
    this.config = config;
    this.nowMs = nowMs;
    this.random = random;
    this.nodeRate = new Gcra(config.connectRate());
    this.addresses = new RateTable(config.connectRateIp(), REMEMBERED, random);
    this.sockets =
        new RateTable(config.connectRateIp().times(SOCKETS_PER_HANDSHAKE), REMEMBERED, random);
    this.users = new RateTable(config.connectRateUser(), REMEMBERED, random);
    this.histories = new RateTable(config.historyRate(), REMEMBERED, random);
    this.readings = new RateTable(config.historyRate(), REMEMBERED, random);
    this.newRecipients = new RateTable(Rate.perHour(config.newRecipients()), REMEMBERED, random);
    this.occupancy =
        new Occupancy(config.maxConnectionsIp(), config.awaitingHelloIp(), config.httpSocketsIp());
    this.frames = new Gcra(config.frameRate());
    this.bytes = new Gcra(config.byteRate());
  }

  public AdmissionConfig config() {
    return config;
  }

  /** Sockets that were accepted and are not gone, WebSockets too. */
  public int openSockets() {
    return openSockets.get();
  }

  /** WebSockets that have not said hello. */
  public int awaitingHello() {
    return awaitingHello.get();
  }

  /** Addresses that hold a socket and are counted. */
  public int addressesHolding() {
    return occupancy.size();
  }

  /**
   * A socket was accepted.
   *
   * @return why it is to be dropped, or null: then {@link #socketGone} is to be called once
   */
  public @Nullable Refusal socket(InetAddress peer) {
    long address = peerKey(peer);
    if (address != Occupancy.UNCOUNTED && sockets.take(address, nowMs.getAsLong(), 1) > 0) {
      return Refusal.IP_SOCKET_RATE;
    }
    if (!occupancy.socket(address)) {
      return Refusal.IP_SOCKETS;
    }
    openSockets.incrementAndGet();
    return null;
  }

  /**
   * Whether no socket is to be accepted for now.
   *
   * @param webSockets how many of the open ones are WebSockets
   */
  public boolean crowded(int webSockets) {
    return over(openSockets.get() - webSockets, config.httpSockets());
  }

  public void socketGone(InetAddress peer) {
    openSockets.decrementAndGet();
    occupancy.socketGone(peerKey(peer));
  }

  /** Who a request is from. */
  public InetAddress origin(InetAddress peer, List<String> forwardedFor) {
    return config.trustedProxy().origin(peer, forwardedFor);
  }

  /** A client asks for a WebSocket. What is admitted is told of by the guard from then on. */
  public Decision connect(InetAddress client) {
    long address =
        config.trustedCidr().contains(client) ? Occupancy.UNCOUNTED : Addresses.key(client);
    if (address != Occupancy.UNCOUNTED) {
      Refusal held = occupancy.refusal(address);
      if (held != null) {
        return Decision.refused(held, 1 + random.nextInt(IP_SPREAD_S));
      }
      long waitMs = addresses.take(address, nowMs.getAsLong(), 1);
      if (waitMs > 0) {
        return Decision.refused(
            Refusal.IP_RATE, (int) (waitMs / 1_000) + 1 + random.nextInt(IP_SPREAD_S));
      }
    }
    if (over(awaitingHello.get(), config.awaitingHello())) {
      return Decision.refused(Refusal.NODE_AWAITING_HELLO, nodeRetryS());
    }
    if (!takeOfNode()) {
      return Decision.refused(Refusal.NODE_RATE, nodeRetryS());
    }
    awaitingHello.incrementAndGet();
    occupancy.enter(address);
    return Decision.admitted(new ConnectionGuard(this, address));
  }

  /**
   * Seconds after which somebody whom the node refused may try again: spread over the time that the
   * node needs for all whom it refused lately.
   */
  public int nodeRetryS() {
    double rate = config.connectRate().isOff() ? 1_000 : config.connectRate().perSecond();
    double needS = crowd.add(nowMs.getAsLong()) / rate;
    int spread = NODE_SPREAD_S + (int) Math.min(LONGEST_SPREAD_S, 2 * needS);
    return 1 + random.nextInt(spread);
  }

  /**
   * A user comes. To be asked once a connection, as soon as it is known who it is; where that is
   * before the upgrade, {@link ConnectionGuard#userKnown} keeps it from being asked again.
   *
   * @return 0, or the milliseconds after which to try again
   */
  public long user(String user) {
    long waitMs = users.take(userKey(user), nowMs.getAsLong(), 1);
    return waitMs == 0 ? 0 : waitMs + random.nextInt(USER_SPREAD_MS);
  }

  /**
   * Somebody wants to read the user's history.
   *
   * @return 0, or the milliseconds after which to try again
   */
  public long history(String user) {
    long waitMs = histories.take(userKey(user), nowMs.getAsLong(), 1);
    return waitMs == 0 ? 0 : waitMs + random.nextInt(USER_SPREAD_MS);
  }

  /**
   * Somebody wants to read a channel's history.
   *
   * @param user who it is; null where nothing says so: the address counts, unless it is trusted
   * @return 0, or the milliseconds after which to try again
   */
  public long reading(@Nullable String user, InetAddress client) {
    if (user == null && config.trustedCidr().contains(client)) {
      return 0;
    }
    long key = user == null ? Addresses.key(client) : userKey(user);
    long waitMs = readings.take(key, nowMs.getAsLong(), 1);
    return waitMs == 0 ? 0 : waitMs + random.nextInt(USER_SPREAD_MS);
  }

  /** Takes as many of the user's new recipients; 0, or the milliseconds until they are there. */
  long newRecipients(String user, int count, long nowMs) {
    return newRecipients.take(userKey(user), nowMs, count);
  }

  void helloDone(long address) {
    awaitingHello.decrementAndGet();
    occupancy.helloDone(address);
  }

  void gone(long address) {
    occupancy.leave(address);
  }

  int jitterMs(int below) {
    return random.nextInt(below);
  }

  private synchronized boolean takeOfNode() {
    long now = nowMs.getAsLong() * Gcra.NANOS_PER_MS;
    boolean there = nodeRate.waitNanos(nodeState, now, 1) == 0;
    if (there) {
      nodeState = nodeRate.spend(nodeState, now, 1);
    }
    return there;
  }

  private long peerKey(InetAddress peer) {
    boolean uncounted = config.trustedCidr().contains(peer) || config.trustedProxy().contains(peer);
    return uncounted ? Occupancy.UNCOUNTED : Addresses.key(peer);
  }

  static long userKey(String user) {
    long key = user.length();
    for (int i = 0; i < user.length(); i++) {
      key = RateTable.mix(key * 31 + user.charAt(i));
    }
    return key;
  }

  private static boolean over(int now, int most) {
    return most > 0 && now >= most;
  }
}
