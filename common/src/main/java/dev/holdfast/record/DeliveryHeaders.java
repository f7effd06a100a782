package dev.holdfast.record;

/**
 * Header names of {@code holdfast.deliveries} and {@code holdfast.dead-letters}; values are text.
 */
public final class DeliveryHeaders {
  /** {@link EdgeRef#key()} of the edge that is meant. */
  public static final String EDGE = "edge";

  /** The connection that is meant. */
  public static final String CONN = "conn";

  /** {@link Delivery.Kind#wire()}. */
  public static final String KIND = "kind";

  /** {@link Delivery#seq()} in decimal. */
  public static final String SEQ = "seq";

  /** On a record moved to its right partition: topic id, partition and offset of the original. */
  public static final String FORWARDED = "holdfast-forwarded-from";

  /** Beside it: when the original was appended, milliseconds since 1970. */
  public static final String FORWARDED_TIME = "holdfast-forwarded-time";

  /** On a dead letter: topic, partition, offset, why, and what was wrong. */
  public static final String TOPIC = "topic";

  public static final String PARTITION = "partition";
  public static final String OFFSET = "offset";
  public static final String REASON = "reason";
  public static final String DETAIL = "detail";

  private DeliveryHeaders() {}
}
