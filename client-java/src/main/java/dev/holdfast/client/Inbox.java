package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.rules.CloseCode;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Messages, from the wire to the handler, one after the other. {@code taken} is the newest that is
 * in the queue or beyond; {@code session.lastSeq} the newest whose handler was through; behind it
 * comes what the store has. Used on the loop only.
 */
final class Inbox {
  /**
   * A message that waits.
   *
   * @param epoch the mailbox's, to tell what the cursor means once it has come through
   */
  private record Item(Message message, String epoch, boolean orphan) {}

  private final Core core;
  private final Session session;
  private final ArrayDeque<Item> queue = new ArrayDeque<>();
  private final Handing<Message> handing;
  private final Acks acks;
  private @Nullable Item inHand;
  private long taken = Session.NONE;
  private long stored = Session.NONE;
  private boolean storing;
  private boolean storeAgain;
  private long account;

  Inbox(Core core) {
    this.core = core;
    this.session = core.session();
    this.handing = new Handing<>(core, "message", () -> core.handlers().message);
    this.acks = new Acks(core);
  }

  void loaded() {
    taken = session.lastSeq;
    stored = session.lastSeq;
  }

  void welcome(Link link, JsonNode frame) {
    String epoch = frame.path("epoch").asText();
    session.sessionToken = frame.path("sessionToken").textValue();
    long from;
    if (frame.path("resumed").asBoolean()) {
      session.epoch = epoch;
      from = link.helloSeq() == Session.NONE ? frame.path("ackSeq").asLong() : link.helloSeq();
      core.telemetry("resumed").tell();
    } else {
      from = frame.path("seq").asLong();
      String reason = frame.path("reason").asText();
      restart(epoch, reason, from, link.askedBefore() ? 0 : frame.path("ackSeq").asLong());
      core.telemetry("not_resumed").reason(reason).tell();
    }
    acks.begin(from);
    acks.progress(session.lastSeq, stored);
    store();
    next();
  }

  /**
   * The server goes on at {@code seq}: what was missed is owed from now on. What waits in the queue
   * is part of that where the line is the same; of another line nobody else will bring it.
   */
  private void restart(String epoch, String reason, long seq, long ackSeq) {
    boolean sameLine = epoch.equals(session.epoch) && session.lastSeq != Session.NONE;
    boolean back = reason.equals("ahead") || session.lastSeq > seq;
    long from = owedFrom(reason, sameLine && !back, ackSeq);
    if (sameLine && !back) {
      queue.clear();
    } else {
      ArrayDeque<Item> waiting = new ArrayDeque<>(queue);
      queue.clear();
      waiting.forEach(item -> queue.add(new Item(item.message(), item.epoch(), true)));
    }
    if (inHand != null) {
      inHand = new Item(inHand.message(), inHand.epoch(), true);
    }
    session.owed = session.owed.plus(epoch, Math.min(from, seq), seq);
    session.epoch = epoch;
    session.lastSeq = seq;
    taken = seq;
    stored = Session.NONE;
  }

  private long owedFrom(String reason, boolean goesOn, long ackSeq) {
    if (reason.equals("epoch")) {
      return 0;
    }
    if (!goesOn) {
      return ackSeq;
    }
    return session.lastSeq;
  }

  void message(Link link, JsonNode frame) {
    long seq = frame.path("seq").asLong(-1);
    if (seq < 1) {
      throw new IllegalArgumentException("a message without seq");
    }
    if (seq > acks.received() + 1) {
      core.telemetry("seq_gap").reason((acks.received() + 1) + " missing before " + seq).tell();
      core.machine().abandon(link, CloseCode.LEFT, "seq_gap");
      return;
    }
    acks.received(Math.max(seq, acks.received()));
    if (seq <= taken) {
      core.counters().duplicates.increment();
      acks.repeated();
      return;
    }
    taken = seq;
    queue.add(new Item(Message.of(frame), String.valueOf(session.epoch), false));
    next();
  }

  private void next() {
    while (inHand == null && !queue.isEmpty() && mayHand()) {
      Item item = queue.remove();
      inHand = item;
      if (session.seen.contains(item.message().msgId())) {
        core.counters().duplicates.increment();
        through();
      } else {
        handing.hand(item.message(), done -> handled());
      }
    }
  }

  private boolean mayHand() {
    return core.machine().wanted() && handing.hasHandler() && !handing.busy();
  }

  private void handled() {
    core.counters().received.increment();
    through();
    next();
    acks.due(idle());
  }

  /** The cursor moves; where the line has been left meanwhile, what is owed shrinks instead. */
  private void through() {
    Item item = inHand;
    inHand = null;
    if (item == null) {
      return;
    }
    long seq = item.message().seq();
    session.seen.add(item.message().msgId(), core.env().tick());
    if (item.orphan()) {
      session.owed = session.owed.minus(item.epoch(), seq - 1, seq);
    } else {
      session.lastSeq = seq;
    }
    acks.progress(session.lastSeq, stored);
    store();
    core.backlog().go();
  }

  /**
   * Nothing waits, also not for the store: there is nothing that one acknowledgement more covers.
   */
  private boolean idle() {
    return queue.isEmpty() && inHand == null && !storing;
  }

  /** A message of before the last {@code welcome} is in the handler still. */
  boolean finishesEarlierOne() {
    return inHand != null && inHand.orphan();
  }

  /** Stores the session as it is now; what changes meanwhile is stored after that. */
  void store() {
    if (!core.loader().loaded()) {
      return;
    }
    core.keeper().put(core.loader().key("session"), session.toJson());
    storeAgain = storing;
    if (storing) {
      return;
    }
    storing = true;
    long mine = account;
    long seq = session.lastSeq;
    String epoch = String.valueOf(session.epoch);
    core.keeper().whenTried(ok -> tried(mine, ok, epoch, seq));
  }

  private void tried(long mine, boolean ok, String epoch, long seq) {
    if (mine != account) {
      return;
    }
    storing = false;
    if (ok && epoch.equals(session.epoch) && seq <= session.lastSeq) {
      stored = Math.max(stored, seq);
    }
    acks.progress(session.lastSeq, stored);
    if (storeAgain) {
      store();
    }
    acks.due(idle());
  }

  /** The store was tried again with all that it lacked. */
  void storeTried() {
    store();
  }

  void disconnected() {
    acks.end();
  }

  void pause() {
    handing.pause();
    acks.end();
  }

  void resume() {
    handing.resume();
    next();
  }

  void forget() {
    account++;
    queue.clear();
    inHand = null;
    handing.forget();
    taken = Session.NONE;
    stored = Session.NONE;
    storing = false;
    storeAgain = false;
  }
}
