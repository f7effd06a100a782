package dev.holdfast.frame;

import dev.holdfast.RawJson;
import java.util.List;

/**
 * The body of {@code POST /v1/messages}, already checked.
 *
 * @param from the sender; {@code backend} unless the body names one
 * @param users the addressees, in the order named, without repeats
 */
public record Publish(String from, List<String> users, RawJson payload) {
  /** The sender of a body that names none. */
  public static final String BACKEND = "backend";
}
