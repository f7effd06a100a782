package dev.holdfast.testkit.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a client sent and has no answer for, in order. Clients of one user count independently. */
final class Outbox {
  private record Pending(String frame, String payload, List<String> to) {}

  private final String sender;
  private final World world;
  private final Ledger ledger;
  private final Map<String, Pending> pending = new LinkedHashMap<>();
  private int count;
  private boolean waiting;

  Outbox(String sender, World world, Ledger ledger) {
    this.sender = sender;
    this.world = world;
    this.ledger = ledger;
  }

  boolean empty() {
    return pending.isEmpty();
  }

  String add(List<String> to) {
    String id = Integer.toString(++count);
    String payload = '"' + sender + '#' + id + '"';
    StringBuilder users = new StringBuilder();
    to.forEach(u -> users.append(users.length() == 0 ? "\"" : ",\"").append(u).append('"'));
    String frame =
        "{\"type\":\"send\",\"clientMsgId\":\""
            + id
            + "\",\"to\":{\"users\":["
            + users
            + "]},\"payload\":"
            + payload
            + '}';
    pending.put(id, new Pending(frame, payload, to));
    return frame;
  }

  void sent(String id) {
    Pending done = pending.remove(id);
    if (done != null) {
      world.note(sender, "has", done.payload());
      ledger.accepted(done.payload(), done.to());
    }
  }

  /** Something must come again; false when that is already planned. */
  boolean refused() {
    boolean first = !waiting;
    waiting = true;
    return first;
  }

  void sendingAgain() {
    waiting = false;
  }

  List<String> all() {
    List<String> frames = new ArrayList<>(pending.size());
    pending.values().forEach(p -> frames.add(p.frame()));
    return frames;
  }
}
