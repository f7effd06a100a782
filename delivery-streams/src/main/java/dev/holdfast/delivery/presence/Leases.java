package dev.holdfast.delivery.presence;

import dev.holdfast.RawJson;
import dev.holdfast.delivery.mailbox.Client;
import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.mailbox.MailboxRules;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.LogPosition;
import dev.holdfast.delivery.state.Rows;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.Rules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Edges answer for their connections with rosters (D10). A connection that two lists lack lapses;
 * an edge lapses by two suspicions a roster interval apart in the log's time with no roster
 * between, so that an outage of the broker makes nobody offline: during it nothing is appended.
 */
public final class Leases {
  private final Rows rows;
  private final Effects effects;
  private final MailboxRules mailboxes;
  private final Presence presence;
  private final Connections connections;

  public Leases(Rows rows, Effects effects, MailboxRules mailboxes, Presence presence) {
    this.rows = rows;
    this.effects = effects;
    this.mailboxes = mailboxes;
    this.presence = presence;
    this.connections = new Connections(rows);
  }

  /** The client's connection counts for its edge from now on. */
  public void register(String user, Client client, LogPosition at) {
    connections.add(client.edge(), user, client.clientId(), client.connId(), at);
  }

  /** It does not any more. */
  public void unregister(EdgeRef edge, String user, String clientId, String connId) {
    connections.remove(edge, user, clientId, connId);
  }

  /** A sign of life, and what the edge believes it holds. */
  public void roster(Event.Roster e, LogPosition at) {
    Lease lease = Lease.loadOrCreate(rows, e.edge(), at);
    lease.alive(at);
    lease.save(rows);
    List<Event.Roster.Entry> list = e.connections();
    if (list != null) {
      compare(e.edge(), list, at);
    } else if (!lease.agrees(e.count(), e.digest())) {
      effects.deliver(
          new Delivery(
              Delivery.Kind.ROSTER_WANTED, e.edge(), "", "", at.partition(), RawJson.of("{}")));
    }
  }

  private void compare(EdgeRef edge, List<Event.Roster.Entry> list, LogPosition at) {
    Map<String, Event.Roster.Entry> theirs = new HashMap<>();
    for (Event.Roster.Entry entry : list) {
      theirs.put(entry.connId(), entry);
    }
    for (Connections.Row ours : connections.of(edge)) {
      boolean present = theirs.remove(ours.connId()) != null;
      if (!present && ours.missed()) {
        end(edge, ours, at, false);
      } else if (present == ours.missed()) {
        connections.put(
            edge, new Connections.Row(ours.user(), ours.clientId(), ours.connId(), !ours.missed()));
      }
    }
    for (Event.Roster.Entry unknown : list) {
      if (theirs.containsKey(unknown.connId())) {
        Mailbox box = Mailbox.load(rows, unknown.user());
        Client client = box == null ? null : box.client(unknown.clientId());
        mailboxes.unknown(client, edge, unknown.user(), unknown.connId());
      }
    }
  }

  /** A proposal that the edge is gone; the second one in time ends its lease. */
  public void suspect(Event.Suspect e, LogPosition at, Rules rules) {
    Lease lease = Lease.load(rows, e.edgeKey());
    if (lease == null || lease.rosterOffset() != e.rosterOffset()) {
      return;
    }
    long now = lease.now(at);
    if (now - lease.rosterTime() <= 2 * rules.rosterIntervalMs()) {
      return; // The proposer's clock is ahead; the log's own says that the edge is not silent.
    }
    if (lease.suspectedAt() == 0) {
      lease.suspect(now);
      lease.save(rows);
    } else if (now - lease.suspectedAt() >= rules.rosterIntervalMs()) {
      for (Connections.Row c : connections.of(lease.edge())) {
        // Should the edge only have slept, it finds this when it wakes.
        mailboxes.close(lease.edge(), c.user(), c.connId(), CloseCode.SERVICE_RESTART);
        end(lease.edge(), c, at, true);
      }
      connections.forget(lease.edge());
    }
  }

  /** Tells every edge how far its connections were sent, where they have not acknowledged all. */
  public void announce() {
    for (EdgeRef edge : connections.edges()) {
      for (Connections.Row c : connections.of(edge)) {
        Mailbox box = Mailbox.load(rows, c.user());
        if (box != null) {
          mailboxes.announce(box, c.clientId());
        }
      }
    }
  }

  private void end(EdgeRef edge, Connections.Row c, LogPosition at, boolean lapsed) {
    connections.remove(edge, c.user(), c.clientId(), c.connId());
    Mailbox box = Mailbox.load(rows, c.user());
    if (box == null) {
      return;
    }
    long now = box.now(at);
    if (mailboxes.disconnect(box, c.clientId(), c.connId(), now) != null) {
      if (lapsed) {
        presence.lapsed(box, at);
      } else {
        presence.went(box, at);
      }
      box.save(rows, at);
    }
  }
}
