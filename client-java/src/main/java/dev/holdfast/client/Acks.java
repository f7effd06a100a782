package dev.holdfast.client;

import dev.holdfast.client.rules.Frames;

/**
 * Acknowledges on one connection: cumulatively, what was handed over and stored, and nothing that
 * this connection did not bring. Used on the loop only.
 */
final class Acks {
  private static final int AT_MOST = 32;
  private static final long WITHIN_MS = 100;

  private static final long STORE_PATIENCE_MS = 10_000;

  private final Core core;
  private final Alarm soon;
  private long received = Session.NONE;
  private long acked = Session.NONE;
  private long handled = Session.NONE;
  private long stored = Session.NONE;
  private boolean repeat;

  Acks(Core core) {
    this.core = core;
    this.soon = new Alarm(core.env());
  }

  /** A connection begins, whose messages follow {@code seq}. */
  void begin(long seq) {
    received = seq;
    acked = seq;
    repeat = false;
  }

  void end() {
    soon.cancel();
  }

  long received() {
    return received;
  }

  void received(long seq) {
    received = seq;
  }

  /** Where the handlers and where the store are; also backwards, with another epoch. */
  void progress(long handledSeq, long storedSeq) {
    handled = handledSeq;
    stored = storedSeq;
  }

  /** What came had come before: it takes room in the server's window all the same. */
  void repeated() {
    repeat = true;
    due(false);
  }

  /** Something was handed over, or stored; {@code idle}: nothing waits. */
  void due(boolean idle) {
    long upTo = limit();
    if (upTo < acked || (upTo == acked && !repeat)) {
      return;
    }
    if (upTo - acked >= AT_MOST || (idle && upTo > acked)) {
      send();
    } else if (!soon.isSet()) {
      soon.set(WITHIN_MS, this::send);
    }
  }

  private void send() {
    soon.cancel();
    Link link = core.machine().online();
    long upTo = limit();
    if (link != null && (upTo > acked || (repeat && upTo == acked))) {
      acked = upTo;
      repeat = false;
      link.send(Frames.ack(upTo));
    }
  }

  /**
   * While the store fails, acknowledgements wait for it; not for ever, since the server ends a
   * connection whose window stays full. What is lost by it is lost only if the process ends too.
   */
  private long limit() {
    long failing = core.keeper().failingMs();
    return Math.min(received, failing >= STORE_PATIENCE_MS ? handled : stored);
  }
}
