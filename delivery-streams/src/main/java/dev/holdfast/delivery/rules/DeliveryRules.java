package dev.holdfast.delivery.rules;

import dev.holdfast.delivery.mailbox.Client;
import dev.holdfast.delivery.mailbox.History;
import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.mailbox.MailboxRules;
import dev.holdfast.delivery.presence.Leases;
import dev.holdfast.delivery.presence.Presence;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.Partition;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;

/**
 * {@code step(rows, event)}: the one place where the log turns into state and effects.
 *
 * <p>How this works. What a step does depends on the rows of its partition and on the event with
 * its place in the log, and on nothing else: no clock, no chance, no setting of the instance. Two
 * instances that read the same log therefore write the same rows and emit the same deliveries with
 * the same seqs, whether they are a crashed instance and its successor, a zombie and its heir, or
 * the two halves of a hot pair. That is what makes it safe to read deliveries before the
 * transaction commits (D2, D4). Time is the log's: the greater of a mailbox's last time and the
 * broker's append time.
 *
 * <p>Used by one thread; one instance a partition. When a transaction aborts the rows go back, so
 * this object must be thrown away with it: it keeps the partition's own row in memory.
 */
public final class DeliveryRules {
  private final Rows rows;
  private final MailboxRules mailboxes;
  private final History history;
  private final Presence presence;
  private final Leases leases;
  private final Partition partition;

  /**
   * Begins where {@code rows} are.
   *
   * @param partitions of {@code holdfast.events}, for the rules where the log has none yet
   */
  public DeliveryRules(Rows rows, Effects effects, int partitions) {
    this.rows = rows;
    this.mailboxes = new MailboxRules(rows, effects);
    this.history = new History(rows, effects);
    this.presence = new Presence(rows, effects);
    this.leases = new Leases(rows, effects, mailboxes, presence);
    this.partition = Partition.load(rows, partitions);
  }

  /** The last offset known to be applied; exact to {@link Partition#EVERY}. -1 when none was. */
  public long applied() {
    return partition.applied();
  }

  /** The rules in force. */
  public Rules rules() {
    return partition.rules();
  }

  /**
   * Applies one event. An offset at or below the last one changes nothing.
   *
   * @param user the record's key; empty for events that have none
   * @throws UnknownRules when the log asks for rules that this code does not have
   */
  public void step(LogPosition at, String user, Event event) {
    if (at.offset() <= partition.applied()) {
      return;
    }
    event.match(new Step(at, user));
    partition.advance(rows, at);
  }

  /** A record that is no event still moves the log on. */
  public void skip(LogPosition at) {
    if (at.offset() > partition.applied()) {
      partition.advance(rows, at);
    }
  }

  /**
   * Tells the edges how far each live connection was sent, where it has not acknowledged all of it,
   * so that they ask for what they lack. Changes no row.
   */
  public void announce() {
    leases.announce();
  }

  /** The log asks for rules of a version that this code does not have; the instance must stop. */
  public static final class UnknownRules extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownRules(int version) {
      super(
          "the log holds rules of version "
              + version
              + "; this build knows version "
              + Rules.VERSION
              + ": run a build that knows it");
    }
  }

  /** One event with its place. */
  private final class Step implements Event.Cases {
    private final LogPosition at;
    private final String user;

    Step(LogPosition at, String user) {
      this.at = at;
      this.user = user;
    }

    private Rules rules() {
      return partition.rules();
    }

    @Override
    public void message(Event.Message e) {
      Mailbox box = Mailbox.loadOrCreate(rows, user, at);
      if (!box.hasApplied(at) && mailboxes.message(box, e, at, rules())) {
        endOverrun(box);
        box.save(rows, at);
      }
    }

    @Override
    public void connect(Event.Connect e) {
      Mailbox box = Mailbox.loadOrCreate(rows, user, at);
      if (box.hasApplied(at)) {
        return;
      }
      if (mailboxes.stale(box, e)) {
        Client live = box.client(e.clientId());
        boolean itself = live != null && live.live() && live.connId().equals(e.connId());
        if (!itself) {
          mailboxes.close(e.edge(), user, e.connId(), CloseCode.REPLACED);
        }
        return;
      }
      Client before = box.client(e.clientId());
      if (before != null && before.live()) {
        end(box, before, CloseCode.REPLACED);
      }
      mailboxes.connect(box, e, at, rules());
      Client client = box.client(e.clientId());
      if (client != null) {
        leases.register(user, client, at);
      }
      dropSurplus(box);
      endOverrun(box);
      presence.came(box, at);
      box.save(rows, at);
    }

    private void dropSurplus(Mailbox box) {
      Client surplus = mailboxes.surplus(box, rules());
      if (surplus != null) {
        if (surplus.live()) {
          end(box, surplus, CloseCode.REPLACED);
        }
        mailboxes.forget(box, surplus);
      }
    }

    /** Who still waits for what is no longer kept must start anew. */
    private void endOverrun(Mailbox box) {
      boolean any = false;
      for (Client c : box.clients()) {
        if (mailboxes.overrun(box, c)) {
          end(box, c, CloseCode.SLOW_CONSUMER);
          any = true;
        }
      }
      if (any) {
        presence.went(box, at);
      }
    }

    private void end(Mailbox box, Client client, CloseCode code) {
      EdgeRef edge = client.edge();
      String connId = client.connId();
      leases.unregister(edge, user, client.clientId(), connId);
      mailboxes.close(edge, user, connId, code);
      mailboxes.disconnect(box, client.clientId(), connId, box.now(at));
    }

    @Override
    public void disconnect(Event.Disconnect e) {
      Mailbox box = Mailbox.load(rows, user);
      if (box == null || box.hasApplied(at)) {
        return;
      }
      long now = box.now(at);
      Client client = mailboxes.disconnect(box, e.clientId(), e.connId(), now);
      if (client != null) {
        leases.unregister(client.edge(), user, e.clientId(), e.connId());
        presence.went(box, at);
        box.save(rows, at);
      }
    }

    @Override
    public void ack(Event.Ack e) {
      Mailbox box = Mailbox.load(rows, user);
      if (box == null) {
        mailboxes.unknown(null, e.edge(), user, e.connId());
      } else if (!box.hasApplied(at) && mailboxes.ack(box, e, at, rules())) {
        box.save(rows, at);
      }
    }

    @Override
    public void resync(Event.Resync e) {
      Mailbox box = Mailbox.load(rows, user);
      if (box == null) {
        mailboxes.unknown(null, e.edge(), user, e.connId());
      } else if (!box.hasApplied(at) && mailboxes.resync(box, e, at, rules())) {
        endOverrun(box);
        box.save(rows, at);
      }
    }

    @Override
    public void roster(Event.Roster e) {
      leases.roster(e, at);
    }

    @Override
    public void suspect(Event.Suspect e) {
      leases.suspect(e, at, rules());
    }

    @Override
    public void leave(Event.Leave e) {
      Mailbox box = Mailbox.load(rows, user);
      if (box != null && !box.hasApplied(at) && presence.leave(box, at, rules())) {
        box.save(rows, at);
      }
    }

    @Override
    public void expire(Event.Expire e) {
      Mailbox box = Mailbox.load(rows, user);
      if (box == null || box.hasApplied(at)) {
        return;
      }
      if (mailboxes.expire(box, at, rules())) {
        if (box.leavingSince() != 0) {
          rows.delete(Keys.leaving(box.leavingSince(), user));
        }
        rows.delete(Keys.mailbox(user));
      } else {
        endOverrun(box);
        presence.tellAgain(box, at);
        box.save(rows, at);
      }
    }

    @Override
    public void kick(Event.Kick e) {
      Mailbox box = Mailbox.load(rows, user);
      if (box == null || box.hasApplied(at)) {
        return;
      }
      boolean any = false;
      for (Client c : box.clients()) {
        boolean meant = e.clientId() == null || e.clientId().equals(c.clientId());
        if (meant && c.live()) {
          end(box, c, CloseCode.KICKED);
          any = true;
        }
      }
      if (any) {
        presence.went(box, at);
        box.save(rows, at);
      }
    }

    @Override
    public void rules(Event.RulesChange e) {
      if (e.rules().version() != Rules.VERSION) {
        throw new UnknownRules(e.rules().version());
      }
      partition.become(e.rules());
    }

    @Override
    public void query(Event.Query e) {
      history.answer(user, Mailbox.load(rows, user), e);
    }
  }
}
