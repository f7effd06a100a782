package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.rules.CloseCode;
import java.util.ArrayDeque;
import java.util.List;
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
   * @param orphan a later {@code welcome} has moved the cursor beyond it
   */
  private record Item(Message message, String epoch, boolean orphan) {}

  private static final long SEEN_MS = 1_000;

  private final Core core;
  private final Session session;
  private final ArrayDeque<Item> queue = new ArrayDeque<>();
  private final Handing<Message> handing;
  private final Acks acks;
  private @Nullable Item inHand;
  private long taken = Session.NONE;
  private long stored = Session.NONE;
  private final Alarm saveSeen;
  private boolean storing;
  private boolean storeAgain;
  private long account;

  Inbox(Core core) {
    this.core = core;
    this.session = core.session();
    this.handing = new Handing<>(core, "message", () -> core.handlers().message);
    this.acks = new Acks(core);
    this.saveSeen = new Alarm(core.env());
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
      from = link.helloSeq() == Session.NONE ? frame.path("ackSeq").asLong() : link.helloSeq();
      resume(epoch, from, frame.path("seq").asLong());
      core.telemetry("resumed").tell();
    } else {
      from = frame.path("seq").asLong();
      String reason = frame.path("reason").asText();
      restart(epoch, reason, from, link.unheardBefore() ? 0 : frame.path("ackSeq").asLong());
      core.telemetry("not_resumed").reason(reason).tell();
    }
    acks.begin(from);
    acks.progress(session.lastSeq, stored);
    store();
    next();
  }

  /**
   * The server goes on behind {@code from}. What is here and beyond the newest that it has is of a
   * line whose end it has lost: it comes again, or other messages do under the same numbers.
   */
  private void resume(String epoch, long from, long newest) {
    if (epoch.equals(session.epoch) && Math.max(session.lastSeq, taken) > newest) {
      disown(true);
      renumbered(epoch, newest);
      session.lastSeq = from;
      taken = from;
      stored = Session.NONE;
    }
    session.epoch = epoch;
  }

  /**
   * The server goes on at {@code seq}: what was missed is owed from now on. What waits in the queue
   * is handed over as a message all the same, and taken out of what is owed; not where the server
   * has lost the end of the line, and the same numbers stand for other messages now.
   */
  private void restart(String epoch, String reason, long seq, long ackSeq) {
    boolean sameLine = epoch.equals(session.epoch) && session.lastSeq != Session.NONE;
    boolean ahead = reason.equals("ahead") || (sameLine && session.lastSeq > seq);
    boolean back = ahead || (sameLine && taken > seq);
    boolean otherLine = session.lastSeq != Session.NONE && !sameLine;
    long from =
        reason.equals("epoch") || otherLine ? 0 : sameLine && !ahead ? session.lastSeq : ackSeq;
    disown(back);
    if (back) {
      renumbered(epoch, seq);
    }
    session.owed = session.owed.plus(epoch, Math.min(from, seq), seq);
    session.epoch = epoch;
    session.lastSeq = seq;
    taken = seq;
    stored = Session.NONE;
  }

  /** The cursor is moved by nothing that is here. */
  private void disown(boolean back) {
    List<Item> waiting = List.copyOf(queue);
    queue.clear();
    waiting.forEach(item -> queue.add(orphan(item, back)));
    if (inHand != null) {
      inHand = orphan(inHand, back);
    }
  }

  private void renumbered(String epoch, long newest) {
    core.backlog().renumbered();
    session.owed = session.owed.gone(epoch, newest);
  }

  private static Item orphan(Item item, boolean back) {
    return new Item(item.message(), back ? "" : item.epoch(), true);
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
    seen(item.message().msgId());
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

  /** Messages of before the last {@code welcome} wait, or one is in the handler still. */
  boolean finishesEarlierOne() {
    Item next = inHand != null ? inHand : queue.peek();
    return next != null && next.orphan();
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

  /** It was handed over; that is stored once a second at most. */
  void seen(String msgId) {
    session.seen.add(msgId);
    if (!core.machine().wanted()) {
      storeSeen();
    } else if (!saveSeen.isSet()) {
      saveSeen.set(SEEN_MS, this::storeSeen);
    }
  }

  private void storeSeen() {
    saveSeen.cancel();
    if (core.loader().loaded()) {
      core.keeper().put(core.loader().key("seen"), session.seenJson());
    }
  }

  void disconnected() {
    acks.end();
  }

  void pause() {
    handing.pause();
    acks.end();
    if (saveSeen.isSet()) {
      storeSeen();
    }
  }

  void resume() {
    handing.resume();
    next();
  }

  void forget() {
    account++;
    saveSeen.cancel();
    queue.clear();
    inHand = null;
    handing.forget();
    taken = Session.NONE;
    stored = Session.NONE;
    storing = false;
    storeAgain = false;
  }
}
