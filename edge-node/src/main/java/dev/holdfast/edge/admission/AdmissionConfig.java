package dev.holdfast.edge.admission;

/**
 * Who is let in and how fast. All of it is this edge's own: an attacker who
 * reaches n edges has n times the budget. 0, and {@link Rate#OFF}, mean no limit. {@code
 * docs/limits.md} gives the reason for each default.
 *
 * @param connectRate handshakes of the whole node; beyond: 503
 * @param connectRateIp handshakes of one address (IPv6: /64); beyond: 429
 * @param connectRateUser connections of one user; beyond: close 4005
 * @param historyRate requests for one user's history, and of one user or address for channels'
 *     histories; beyond: 429
 * @param trustedCidr networks without limits by address, like an office behind one address
 * @param trustedProxy proxies whose {@code X-Forwarded-For} is believed
 * @param maxConnectionsIp WebSockets of one address; beyond: 429
 * @param awaitingHello sockets of the node that were upgraded and have not said hello; beyond: 503
 * @param awaitingHelloIp the same of one address; beyond: 429
 * @param httpSockets sockets of the node that are no WebSockets; beyond, new ones wait to be
 *     accepted
 * @param httpSocketsIp the same of one address; beyond: dropped
 * @param newRecipients users an hour, and at once, to whom one user has not written on the same
 *     connection: each may become a mailbox; beyond: error {@code rate_limited}
 * @param frameRate frames that one connection may send; beyond: error {@code rate_limited}, then
 *     4005
 * @param byteRate bytes in those frames; beyond: the same
 * @param bandwidth bytes a second to one connection; beyond, they wait
 */
public record AdmissionConfig(
    Rate connectRate,
    Rate connectRateIp,
    Rate connectRateUser,
    Rate historyRate,
    Networks trustedCidr,
    Networks trustedProxy,
    int maxConnectionsIp,
    int awaitingHello,
    int awaitingHelloIp,
    int httpSockets,
    int httpSocketsIp,
    int newRecipients,
    Rate frameRate,
    Rate byteRate,
    int bandwidth) {

  /** For an edge that faces strangers. */
  public static final AdmissionConfig DEFAULT =
      new AdmissionConfig(
          new Rate(500, 1_000),
          new Rate(5, 20),
          new Rate(1, 5),
          new Rate(5, 20),
          Networks.NONE,
          Networks.NONE,
          500,
          2_000,
          32,
          4_096,
          128,
          1_000,
          new Rate(300, 3_000),
          new Rate(512 * 1024, 4 * 1024 * 1024),
          0);

  /** Every limit off, except on sockets that never ask for anything. */
  public static final AdmissionConfig OPEN =
      new AdmissionConfig(
          Rate.OFF,
          Rate.OFF,
          Rate.OFF,
          Rate.OFF,
          Networks.LOOPBACK,
          Networks.NONE,
          0,
          0,
          0,
          DEFAULT.httpSockets,
          0,
          0,
          Rate.OFF,
          Rate.OFF,
          0);
}
