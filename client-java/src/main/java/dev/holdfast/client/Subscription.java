package dev.holdfast.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import org.jspecify.annotations.Nullable;

/**
 * One channel. {@code taken} is the newest position that came; {@code handled} the one up to which
 * all was handed over, and from which another connection or process has to go on. Used on the loop
 * only.
 */
final class Subscription {
  private final String channel;
  private @Nullable Double maxRate;
  private @Nullable String taken;
  private @Nullable String handled;
  private int waiting;
  private int era;
  private boolean inHello;
  private boolean awaiting = true;
  private boolean left;
  private boolean latest;
  private boolean broken;
  private int failures;

  Subscription(String channel) {
    this.channel = channel;
  }

  String channel() {
    return channel;
  }

  /** Grows when the application chooses a place: what waits from before says nothing about it. */
  int era() {
    return era;
  }

  /** As an earlier process stored it; nothing changes once it is under way. */
  void startAt(@Nullable String position) {
    if (handled == null && position != null) {
      handled = position;
      taken = position;
    }
  }

  void ask(@Nullable String position, @Nullable Double rate) {
    maxRate = rate;
    if (position != null) {
      era++;
      waiting = 0;
      left = false;
      handled = position;
      taken = position;
    }
  }

  ObjectNode json() {
    ObjectNode json = Json.object().put("channel", channel);
    String from = handled;
    if (from != null) {
      json.put("position", from);
    }
    if (maxRate != null) {
      json.put("maxRate", maxRate);
    }
    return json;
  }

  /** A connection begins; {@code fits}: its hello has room for it. */
  void connecting(boolean fits) {
    inHello = fits && !left;
    broken = false;
    awaiting = true;
  }

  boolean inHello() {
    return inHello;
  }

  /** It was asked for; what comes before the answer belongs to an earlier subscription. */
  void asked() {
    awaiting = true;
    broken = false;
  }

  /**
   * The server begins to send. What waits from before is handed over first, so this waits behind it
   * and moves the position in its turn.
   *
   * @param isLatest whether the channel's mode is {@code latest}
   * @return where the client stands when its turn has come
   */
  String begun(String position, boolean recovered, boolean isLatest) {
    latest = isLatest;
    awaiting = false;
    broken = false;
    failures = 0;
    String reached = recovered && taken != null ? taken : position;
    taken = reached;
    waiting++;
    return reached;
  }

  /** Whether the newest event is the channel's value, also when it was that before. */
  boolean latest() {
    return latest;
  }

  boolean takes() {
    return !awaiting && !left;
  }

  /**
   * Something up to {@code position} came; false when that had come before. {@code waits}: it has
   * to be handled.
   */
  boolean take(String position, boolean waits) {
    if (taken != null && position.compareTo(taken) <= 0) {
      return false;
    }
    taken = position;
    if (waits) {
      waiting++;
    } else if (waiting == 0) {
      handled = position;
    }
    return true;
  }

  /** What brought it to this position was handed over; where nothing else waits, all that came. */
  void handled(String position, int of) {
    if (of == era) {
      waiting--;
      handled = waiting == 0 ? taken : position;
    }
  }

  int waiting() {
    return waiting;
  }

  /** From where another process would have to go on. */
  @Nullable String position() {
    return handled;
  }

  /** The server does not send it for now; returns how often in a row that was so before. */
  int broken() {
    broken = true;
    awaiting = true;
    return failures++;
  }

  boolean isBroken() {
    return broken;
  }

  /** Too much waits: it is left until less does. */
  void leave() {
    left = true;
  }

  boolean left() {
    return left;
  }

  void takeUp() {
    left = false;
    awaiting = true;
  }
}
