package dev.holdfast.delivery;

import java.nio.file.Path;
import java.util.Map;

/**
 * How one delivery-streams process runs. Nothing here changes what it decides: that is in the log.
 *
 * @param bootstrap Kafka's {@code bootstrap.servers}
 * @param dataDir where state stores lie; kept between starts
 * @param replica {@code a} or {@code b}: which of the hot pair's two applications this belongs to
 *     (D14)
 * @param threads stream threads; one a core or fewer (spike)
 * @param standbys standby copies of each store; 0 where only one instance will ever run
 * @param groupProtocol {@code classic} or {@code streams} (D4)
 * @param healthHost address the health server binds to
 * @param healthPort port of {@code /healthz} and {@code /readyz}; 0 picks a free one; below 0: none
 * @param kafka further Kafka client properties, which win over the defaults
 */
public record DeliveryConfig(
    String bootstrap,
    Path dataDir,
    String replica,
    int threads,
    int standbys,
    String groupProtocol,
    String healthHost,
    int healthPort,
    Map<String, String> kafka) {

  public DeliveryConfig {
    if (!replica.equals("a") && !replica.equals("b")) {
      throw new IllegalArgumentException("replica must be a or b, not " + replica);
    }
    checkGroupProtocol(groupProtocol);
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, not " + threads);
    }
    kafka = Map.copyOf(kafka);
  }

  /**
   * @throws IllegalArgumentException unless it is {@code classic} or {@code streams}
   */
  public static void checkGroupProtocol(String groupProtocol) {
    if (!groupProtocol.equals("classic") && !groupProtocol.equals("streams")) {
      throw new IllegalArgumentException(
          "group protocol must be classic or streams, not " + groupProtocol);
    }
  }

  /** The application id, which also names the consumer group and the changelog topics. */
  public String applicationId() {
    return applicationId(replica);
  }

  /** The application id of the replica {@code a} or {@code b}. */
  public static String applicationId(String replica) {
    return "holdfast-delivery-" + replica;
  }

  /** The application id of the other one of a hot pair. */
  public String otherApplicationId() {
    return applicationId(replica.equals("a") ? "b" : "a");
  }
}
