package dev.holdfast.testkit.rules;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.ConnDigest;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.FrameBatch;
import dev.holdfast.record.Rules;
import dev.holdfast.record.RulesCodec;
import dev.holdfast.record.Welcome;
import dev.holdfast.record.WelcomeCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One partition's log as a test writes it, and in short words what came of each event. */
final class TestLog implements Effects {
  static final EdgeRef EDGE = new EdgeRef("edge", "i1", 0);
  static final EdgeRef OTHER = new EdgeRef("other", "i1", 1);
  static final String U = "ann";

  final CountingRows rows = new CountingRows();
  private final List<String> said = new ArrayList<>();
  private final List<String> presence = new ArrayList<>();
  private DeliveryRules rules = new DeliveryRules(rows, this, 1);
  private long now = 1_700_000_000_000L;
  private long offset;
  private @Nullable Welcome welcome;
  private String frame = "";
  private String presenceRecord = "";
  private String sync = "";
  private int batches;

  /** Time passes; or the log's clock goes back. */
  TestLog later(long ms) {
    now += ms;
    return this;
  }

  long now() {
    return now;
  }

  /** Another instance goes on from the same rows. */
  TestLog restart() {
    rules = new DeliveryRules(rows, this, 1);
    return this;
  }

  TestLog event(String user, Event event) {
    rules.step(new LogPosition(0, offset++, now), user, event);
    return this;
  }

  /** The event at an offset that was applied before. */
  TestLog again(long at, String user, Event event) {
    rules.step(new LogPosition(0, at, now), user, event);
    return this;
  }

  long nextOffset() {
    return offset;
  }

  TestLog rules(Map<String, Long> changed) {
    Map<String, Long> map = RulesCodec.toMap(rules.rules());
    map.putAll(changed);
    return event("", new Event.RulesChange(RulesCodec.fromMap(map)));
  }

  Rules rules() {
    return rules.rules();
  }

  TestLog messages(int count) {
    for (int i = 0; i < count; i++) {
      message(Long.toString(offset));
    }
    return this;
  }

  TestLog message(String id) {
    return event(U, message("bob", "phone", id, "1"));
  }

  static Event message(String from, String client, @Nullable String id, String payload) {
    return new Event.Message(from, client, id, RawJson.of(payload));
  }

  TestLog connect(String conn, @Nullable Long lastSeq) {
    return event(U, connect("phone", conn, EDGE, lastSeq, null, null));
  }

  static Event connect(
      String client,
      String conn,
      EdgeRef edge,
      @Nullable Long lastSeq,
      @Nullable String epoch,
      @Nullable Long attempt) {
    return new Event.Connect(client, conn, edge, lastSeq, epoch, attempt);
  }

  TestLog ack(String conn, long seq) {
    return event(U, new Event.Ack("phone", conn, EDGE, seq));
  }

  TestLog resync(String conn, long from) {
    return event(U, new Event.Resync("phone", conn, EDGE, from, true));
  }

  TestLog announce() {
    rules.announce();
    return this;
  }

  TestLog disconnect(String conn) {
    return event(U, new Event.Disconnect("phone", conn, EDGE, "test"));
  }

  TestLog roster(EdgeRef edge, String... conns) {
    long digest = 0;
    for (String conn : conns) {
      digest ^= ConnDigest.of(conn);
    }
    return event("", new Event.Roster(edge, conns.length, digest, null));
  }

  TestLog list(EdgeRef edge, Event.Roster.Entry... entries) {
    return event("", new Event.Roster(edge, entries.length, 0, List.of(entries)));
  }

  Mailbox box() {
    return Objects.requireNonNull(Mailbox.load(rows, U));
  }

  /** What was delivered since the last call, a few words each. */
  List<String> said() {
    List<String> result = List.copyOf(said);
    said.clear();
    return result;
  }

  /** The status of each presence record since the last call. */
  List<String> presence() {
    List<String> result = List.copyOf(presence);
    presence.clear();
    return result;
  }

  /** The newest presence record. */
  String presenceRecord() {
    return presenceRecord;
  }

  Welcome welcome() {
    return Objects.requireNonNull(welcome);
  }

  /** The newest {@code sync}'s frame. */
  String sync() {
    return sync;
  }

  /** The newest message's frame. */
  String frame() {
    return frame;
  }

  @Override
  public void deliver(Delivery d) {
    if (d.kind() == Delivery.Kind.MESSAGE) {
      messages(d);
      return;
    }
    String value = d.value().toString();
    if (d.kind() == Delivery.Kind.SYNC) {
      sync = value;
    }
    said.add(
        switch (d.kind()) {
          case WELCOME -> "welcome " + d.connId() + ' ' + outcome(d);
          case SYNC, HELD -> d.kind().wire() + ' ' + d.connId() + ' ' + d.seq();
          case CLOSE -> "close " + d.connId() + ' ' + value.replaceAll("\\D", "");
          case ROSTER_WANTED -> "roster_wanted " + d.to().id();
          case HISTORY -> "history " + d.connId() + ' ' + value;
          case MESSAGE -> throw new IllegalStateException("is taken apart before");
        });
  }

  private void messages(Delivery d) {
    batches++;
    byte[] value = d.value().utf8();
    long seq = d.seq();
    int from = 0;
    while (from <= value.length) {
      int end = FrameBatch.end(value, from);
      frame = RawJson.of(FrameBatch.frame(value, from, end)).toString();
      said.add("message " + d.connId() + ' ' + seq++);
      from = end + 1;
    }
  }

  /** Deliveries of messages since the beginning; one may carry several. */
  int batches() {
    return batches;
  }

  private String outcome(Delivery d) {
    try {
      Welcome read = WelcomeCodec.read(d.value().utf8());
      welcome = read;
      return read.resumed() ? "resumed" : Objects.requireNonNull(read.reason());
    } catch (BadRecord e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void presence(String user, RawJson record) {
    presenceRecord = record.toString();
    presence.add(presenceRecord.contains("\"online\"") ? "online" : "offline");
  }

  @Override
  public void deadLetter(String reason, String detail) {
    said.add("dead letter " + reason);
  }

  @Override
  public void repeat() {
    said.add("repeat");
  }
}
