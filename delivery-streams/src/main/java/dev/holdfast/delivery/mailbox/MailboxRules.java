package dev.holdfast.delivery.mailbox;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.idempotency.Idempotency;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;
import dev.holdfast.record.Welcome;
import dev.holdfast.record.WelcomeCodec;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What each event does to a mailbox and its clients. The caller loads the mailbox before and saves
 * it after; who is connected where is its business too.
 */
public final class MailboxRules {
  /** Rows that one append may drop; more than it adds, so that trimming always catches up. */
  private static final int TRIM_PER_APPEND = 4;

  /** Rows that one {@code expire} may drop. */
  private static final int TRIM_PER_EXPIRE = 512;

  private final Rows rows;
  private final Effects effects;
  private final Flow flow;
  private final Retention retention;

  public MailboxRules(Rows rows, Effects effects) {
    this.rows = rows;
    this.effects = effects;
    this.flow = new Flow(rows, effects);
    this.retention = new Retention(rows);
  }

  /**
   * Appends the message and sends it to whoever is connected.
   *
   * @return whether the mailbox changed: a repeat changes nothing
   */
  public boolean message(Mailbox box, Event.Message e, LogPosition at, Rules rules) {
    String clientMsgId = e.clientMsgId();
    if (clientMsgId == null) {
      clientMsgId = Idempotency.nameOf(at.partition(), at.offset());
    }
    long now = box.now(at);
    byte[] hash = MessageId.hash(e.from(), e.clientId(), clientMsgId);
    long digest = MessageId.payloadDigest(e.payload().utf8());
    Idempotency.Verdict verdict =
        Idempotency.judge(rows, box.user, hash, digest, now, rules.dedupWindowMs());
    if (verdict == Idempotency.Verdict.REPEAT) {
      effects.repeat();
      return false;
    }
    if (verdict == Idempotency.Verdict.CONFLICT) {
      effects.deadLetter(
          "id_conflict", "message " + MessageId.text(hash) + " came before with another payload");
      return false;
    }
    long seq = ++box.latest;
    StoredMessage stored = new StoredMessage(now, box.bytes, hash, e.from(), e.payload());
    box.bytes += stored.cost();
    if (box.first == seq) {
      box.firstTime = now;
    }
    rows.put(Keys.message(box.user, seq), stored.row());
    Idempotency.remember(rows, box.user, hash, digest, seq, now);
    flow.appended(box, stored, rules);
    retention.trim(box, rules, now, TRIM_PER_APPEND);
    return true;
  }

  /**
   * Whether the client waits for something that is no longer kept. Nothing may be sent to it any
   * more: the next row is not the next message. The caller ends its connection.
   */
  public boolean overrun(Mailbox box, Client c) {
    return c.live() && c.sent + 1 < box.first;
  }

  /** Whether {@code e} is older than the connection that its client has (D6). */
  public boolean stale(Mailbox box, Event.Connect e) {
    Client client = box.client(e.clientId());
    if (client == null || !client.live() || client.on(e.connId())) {
      return client != null && client.live();
    }
    Long known = client.attempt;
    return known != null && e.attempt() != null && e.attempt() < known;
  }

  /** Takes the connection: decides what can be continued and begins to send it. */
  public void connect(Mailbox box, Event.Connect e, LogPosition at, Rules rules) {
    long now = box.now(at);
    retention.trim(box, rules, now, TRIM_PER_APPEND);
    Client known = box.client(e.clientId());
    Client client = known == null ? new Client(e.clientId()) : known;
    Resume resume = Resume.decide(box, e, flow, rules, now);
    long before = Math.min(client.acked, box.latest);
    box.clients.remove(client);
    box.clients.add(client);
    long cursor = resume == Resume.RESUMED ? Objects.requireNonNull(e.lastSeq()) : box.latest;
    client.connId = e.connId();
    client.edge = e.edge();
    client.attempt = e.attempt();
    client.since = now;
    client.lastSeen = now;
    client.redeliverTo = client.high;
    client.window = Math.min(rules.windowStart(), rules.window());
    client.syncTarget = box.latest;
    client.synced = false;
    seek(box, client, cursor);
    Long has = resume.knowsCursor() ? e.lastSeq() : null;
    welcome(box, client, resume, has == null ? before : has, rules);
    flow.begin(box, client, rules);
  }

  private void seek(Mailbox box, Client client, long cursor) {
    client.sent = cursor;
    client.acked = cursor;
    client.sentBytes = flow.bytesThrough(box, cursor);
    client.ackedBytes = client.sentBytes;
    client.held = false;
  }

  private void welcome(Mailbox box, Client c, Resume resume, long ackSeq, Rules rules) {
    Welcome welcome =
        new Welcome(
            resume == Resume.RESUMED,
            resume.reason(),
            box.epoch,
            box.latest,
            ackSeq,
            Flow.unread(box, ackSeq),
            c.sent,
            rules.resumeTtlMs(),
            rules.maxBacklog(),
            rules.window(),
            rules.windowBytes(),
            rules.dedupWindowMs());
    effects.deliver(
        new Delivery(
            Delivery.Kind.WELCOME,
            c.edge(),
            box.user,
            c.connId(),
            box.latest,
            WelcomeCodec.write(welcome)));
  }

  /**
   * The cursors beyond the limit, oldest first, those without a connection before those with one.
   */
  public @Nullable Client surplus(Mailbox box, Rules rules) {
    if (box.clients.size() <= rules.clientsPerUser()) {
      return null;
    }
    for (Client c : box.clients) {
      if (!c.live()) {
        return c;
      }
    }
    return box.clients.get(0);
  }

  /** Forgets the client's cursor. */
  public void forget(Mailbox box, Client client) {
    Iterator<Client> all = box.clients.iterator();
    while (all.hasNext()) {
      if (all.next() == client) {
        all.remove();
      }
    }
  }

  /**
   * Moves the client's acknowledged cursor and sends what that makes room for.
   *
   * @return whether anything changed
   */
  public boolean ack(Mailbox box, Event.Ack e, LogPosition at, Rules rules) {
    Client client = box.client(e.clientId());
    if (client == null || !client.on(e.connId())) {
      unknown(client, e.edge(), box.user, e.connId());
      return false;
    }
    long seq = Math.min(e.seq(), client.sent);
    if (seq <= client.acked) {
      return false;
    }
    client.lastSeen = box.now(at);
    client.acked = seq;
    long kept = Math.max(seq, box.first - 1);
    client.ackedBytes = kept >= client.sent ? client.sentBytes : flow.bytesThrough(box, kept);
    client.window = Math.min(rules.window(), client.window * 2);
    client.held = false;
    flow.pump(box, client, rules);
    return true;
  }

  /** Sends again what the edge has not seen. Returns whether anything changed. */
  public boolean resync(Mailbox box, Event.Resync e, LogPosition at, Rules rules) {
    Client client = box.client(e.clientId());
    if (client == null || !client.on(e.connId())) {
      unknown(client, e.edge(), box.user, e.connId());
      return false;
    }
    long cursor = Math.max(client.acked, Math.min(e.from(), client.sent));
    box.now(at);
    client.sent = cursor;
    if (overrun(box, client)) {
      return true;
    }
    client.sentBytes = flow.bytesThrough(box, cursor);
    client.held = false;
    client.synced = e.synced();
    flow.pump(box, client, rules);
    return true;
  }

  /**
   * Ends the client's connection if it is {@code connId}.
   *
   * @return the client whose connection ended, or null
   */
  public @Nullable Client disconnect(Mailbox box, String clientId, String connId, long now) {
    Client client = box.client(clientId);
    if (client == null || !client.on(connId)) {
      return null;
    }
    client.connId = null;
    client.held = false;
    client.since = now;
    client.lastSeen = now;
    box.lastSeen = now;
    return client;
  }

  /** Drops what is past its time. Returns whether the whole mailbox may go. */
  public boolean expire(Mailbox box, LogPosition at, Rules rules) {
    long lastTime = box.time();
    long now = Math.max(lastTime, at.timestamp());
    retention.trim(box, rules, now, TRIM_PER_EXPIRE);
    return box.idle(now, rules.mailboxIdleMs(), lastTime);
  }

  /**
   * Answers for a connection the log does not know. Where its client lives elsewhere, the old one
   * must stay away; otherwise a new connection puts things right.
   */
  public void unknown(@Nullable Client client, EdgeRef edge, String user, String connId) {
    boolean elsewhere = client != null && client.live();
    close(edge, user, connId, elsewhere ? CloseCode.REPLACED : CloseCode.SERVICE_RESTART);
  }

  /**
   * Tells the edge of a live client how far that was sent, if it has not acknowledged all of it.
   */
  public void announce(Mailbox box, String clientId) {
    Client client = box.client(clientId);
    if (client != null && client.live() && client.sent > client.acked) {
      flow.announce(box, client);
    }
  }

  /** Tells {@code edge} to close a connection. */
  public void close(EdgeRef edge, String user, String connId, CloseCode code) {
    effects.deliver(
        new Delivery(
            Delivery.Kind.CLOSE,
            edge,
            user,
            connId,
            0,
            RawJson.of("{\"code\":" + code.code() + '}')));
  }
}
