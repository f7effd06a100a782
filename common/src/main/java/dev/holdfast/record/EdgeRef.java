package dev.holdfast.record;

import java.nio.charset.StandardCharsets;

/**
 * One running edge: where deliveries for its connections go (D7).
 *
 * @param id the edge's name, kept over restarts
 * @param incarnation new at each start
 * @param partition its partition of {@code holdfast.deliveries}
 */
public record EdgeRef(String id, String incarnation, int partition) {

  /** {@code id/incarnation}: what a delivery's header names. */
  public String key() {
    return id + '/' + incarnation;
  }

  /** {@link #key()} as the header's bytes. */
  public byte[] keyBytes() {
    return key().getBytes(StandardCharsets.UTF_8);
  }
}
