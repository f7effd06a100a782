package dev.holdfast.delivery.mailbox;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.frame.ServerFrames;
import dev.holdfast.id.MessageId;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.FrameBatch;
import dev.holdfast.record.Rules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to clients as their windows allow (D10). A live client is either caught up or
 * held: one and the same code serves live messages, a backlog after a resume, and a slow reader.
 */
public final class Flow {
  /** Bytes of frames at which a delivery of several is full. */
  private static final int BATCH_BYTES = 64 * 1024;

  private final Rows rows;
  private final Effects effects;

  public Flow(Rows rows, Effects effects) {
    this.rows = rows;
    this.effects = effects;
  }

  /**
   * A message was appended as {@code box.latest()}: every live client that is caught up gets it.
   */
  void appended(Mailbox box, StoredMessage message, Rules rules) {
    for (Client c : box.clients) {
      if (!c.live() || c.sent != box.latest - 1) {
        continue;
      }
      if (fits(c, message, rules)) {
        deliver(Delivery.Kind.MESSAGE, box, c, box.latest, frame(c, box.latest, message));
      } else {
        hold(box, c);
      }
    }
  }

  /** What follows a welcome: a {@code sync} that is due at once has nothing to add to it. */
  void begin(Mailbox box, Client client, Rules rules) {
    fill(box, client, rules);
    syncIfDue(box, client, -1);
  }

  /** Sends what the window allows of {@code (sent, latest]}, then {@code sync} if that is due. */
  void pump(Mailbox box, Client client, Rules rules) {
    fill(box, client, rules);
    syncIfDue(box, client, unread(box, client.acked));
  }

  /** Messages that are kept behind {@code acked}. */
  static long unread(Mailbox box, long acked) {
    return box.latest - Math.max(acked, box.first - 1);
  }

  private void fill(Mailbox box, Client client, Rules rules) {
    if (client.sent < box.latest && !client.held) {
      Pump pump = new Pump(box, client, rules);
      rows.scan(
          Keys.message(box.user, client.sent + 1), Keys.message(box.user, box.latest + 1), pump);
      pump.flush();
      if (client.sent < box.latest) {
        hold(box, client);
      }
    }
  }

  private void syncIfDue(Mailbox box, Client client, long unread) {
    if (!client.synced && client.sent >= client.syncTarget) {
      client.synced = true;
      long cursor = client.syncTarget;
      deliver(Delivery.Kind.SYNC, box, client, cursor, ServerFrames.sync(cursor, unread));
    }
  }

  /** One message always fits, whatever its size. */
  private static boolean fits(Client c, StoredMessage message, Rules rules) {
    long messages = c.sent - c.acked;
    long bytes = c.sentBytes - c.ackedBytes;
    return messages == 0 || (messages < c.window && bytes + message.cost() <= rules.windowBytes());
  }

  /** The message as the frame for that client, which counts as sent from now on. */
  private static byte[] frame(Client c, long seq, StoredMessage message) {
    byte[] frame =
        ServerFrames.message(
            seq,
            MessageId.text(message.hash()),
            message.from(),
            message.time(),
            seq <= c.redeliverTo,
            message.payload());
    c.sent = seq;
    c.sentBytes = message.bytesBefore() + message.cost();
    c.high = Math.max(c.high, seq);
    return frame;
  }

  private void hold(Mailbox box, Client c) {
    if (!c.held) {
      c.held = true;
      announce(box, c);
    }
  }

  /** Tells how far the client was sent; an edge that has seen less asks for the rest. */
  void announce(Mailbox box, Client c) {
    deliver(Delivery.Kind.HELD, box, c, c.sent, EMPTY);
  }

  private static final byte[] EMPTY = {'{', '}'};

  private void deliver(Delivery.Kind kind, Mailbox box, Client c, long seq, byte[] value) {
    effects.deliver(new Delivery(kind, c.edge(), box.user, c.connId(), seq, RawJson.of(value)));
  }

  /** Cost of all messages up to {@code seq}, which must be kept or the newest. */
  long bytesThrough(Mailbox box, long seq) {
    if (seq >= box.latest) {
      return box.bytes;
    }
    StoredMessage next = message(box, seq + 1);
    return next == null ? box.bytes : next.bytesBefore();
  }

  /** The row of {@code seq}, or null. */
  @Nullable StoredMessage message(Mailbox box, long seq) {
    byte @Nullable [] row = rows.get(Keys.message(box.user, seq));
    return row == null ? null : StoredMessage.read(row);
  }

  /** Sends row after row, several in one delivery, until the window is full. */
  private final class Pump implements Rows.Visitor {
    private final Mailbox box;
    private final Client client;
    private final Rules rules;
    private final List<byte[]> frames = new ArrayList<>();
    private int bytes;

    Pump(Mailbox box, Client client, Rules rules) {
      this.box = box;
      this.client = client;
      this.rules = rules;
    }

    @Override
    public boolean row(byte[] key, byte[] value) {
      StoredMessage message = StoredMessage.read(value);
      if (!fits(client, message, rules)) {
        return false;
      }
      long seq = client.sent + 1;
      byte[] frame = frame(client, seq, message);
      if (bytes + frame.length > BATCH_BYTES) {
        flush(seq);
      }
      frames.add(frame);
      bytes += frame.length;
      return client.sent < box.latest;
    }

    void flush() {
      flush(client.sent + 1);
    }

    /** Delivers what was gathered; it ends before {@code next}. */
    private void flush(long next) {
      if (!frames.isEmpty()) {
        byte[] value = FrameBatch.join(frames);
        deliver(Delivery.Kind.MESSAGE, box, client, next - frames.size(), value);
        frames.clear();
        bytes = 0;
      }
    }
  }
}
