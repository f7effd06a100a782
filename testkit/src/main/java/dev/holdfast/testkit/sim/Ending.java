package dev.holdfast.testkit.sim;

import com.fasterxml.jackson.core.JsonParser;
import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.delivery.mailbox.Mailbox;
import dev.holdfast.delivery.rules.DeliveryRules;
import dev.holdfast.delivery.rules.LastChange;
import dev.holdfast.delivery.state.Effects;
import dev.holdfast.delivery.state.Keys;
import dev.holdfast.record.Delivery;
import dev.holdfast.record.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What must hold once nothing goes wrong any more and everything has come to rest. */
final class Ending {
  private static final Effects NONE =
      new Effects() {
        @Override
        public void deliver(Delivery delivery) {}

        @Override
        public void presence(String user, RawJson record) {}

        @Override
        public void deadLetter(String reason, String detail) {}

        @Override
        public void repeat() {}
      };

  private static final long VAGUE = 40;

  private final Cast cast;
  private final Plan plan;

  Ending(Cast cast, Plan plan) {
    this.cast = cast;
    this.plan = plan;
  }

  /** What is still moving, or null when everything has come to rest. */
  @Nullable String unrest() {
    for (Application app : cast.applications()) {
      for (Instance leader : app.leaders()) {
        if (!leader.idle()) {
          return leader + " has not read everything";
        }
      }
    }
    for (SimClient client : cast.clients()) {
      String who = client.clientId + " of " + client.user;
      if (!client.wanted()) {
        continue;
      }
      if (!client.live() || !client.quiet()) {
        return who + (client.live() ? " has unanswered sends" : " is not connected");
      }
      Mailbox box = box(cast.applications().get(0), client.user);
      long latest = box == null ? 0 : box.latest();
      if (client.history().cursor() != latest) {
        return who + " has " + client.history().cursor() + " of " + latest;
      }
    }
    return presence();
  }

  private @Nullable Mailbox box(Application app, String user) {
    return Mailbox.load(app.leaders().get(cast.log().home(user)).rows(), user);
  }

  /** Where presence differs from who is really connected, or null. */
  private @Nullable String presence() {
    for (Application app : cast.applications()) {
      for (String user : cast.users()) {
        Set<String> real = new TreeSet<>();
        for (SimClient client : cast.clients()) {
          if (client.user.equals(user) && client.live()) {
            real.add(client.clientId);
          }
        }
        Application.Online told = app.presence().get(user);
        Set<String> shown = told == null ? Set.of() : clients(told.record());
        String status = real.isEmpty() ? "offline" : "online";
        String record = told == null ? "offline" : told.record().toString();
        if (!real.equals(shown) || !record.contains(status)) {
          return app.name + " shows " + user + " as " + record + ", connected are " + real;
        }
      }
    }
    return null;
  }

  private static Set<String> clients(RawJson record) {
    Set<String> ids = new TreeSet<>();
    try (JsonParser in = JsonIo.parser(record.utf8())) {
      while (in.nextToken() != null) {
        if ("clientId".equals(in.currentName())) {
          ids.add(in.nextTextValue());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ids;
  }

  void check() {
    cast.ledger().checkNothingLost();
    cast.clients().forEach(c -> c.history().check(cast.ledger()));
    for (int p = 0; p < plan.partitions(); p++) {
      MemoryRows replayed = new MemoryRows();
      replay(p, replayed, 0, cast.log().end(p));
      checkEpochs(replayed);
      checkSnapshot(p, replayed);
      for (Application app : cast.applications()) {
        MemoryRows rows = app.leaders().get(p).rows().copy();
        rows.delete(Keys.quiet()); // Not of the log: nothing has come since the rebuild.
        String difference = replayed.difference(rows);
        if (difference != null) {
          throw new Violation(
              "replay of partition " + p + " differs from " + app.name + ": " + difference);
        }
      }
    }
  }

  /**
   * Rows taken on the way, of which it is known only that they are not more than {@link #VAGUE}
   * records further than some place, and gone on with, come to the same.
   */
  private void checkSnapshot(int partition, MemoryRows replayed) {
    long end = cast.log().end(partition);
    long taken = end * 2 / 3;
    MemoryRows rows = new MemoryRows();
    replay(partition, rows, 0, taken);
    long place = Math.max(Math.max(0, taken - VAGUE), LastChange.offset(rows) + 1);
    if (place > taken) {
      throw new Violation("rows at offset " + taken + " say that they are at " + place);
    }
    replay(partition, rows, place, end);
    String difference = replayed.difference(rows);
    if (difference != null) {
      throw new Violation(
          "what goes on from rows of partition " + partition + " differs: " + difference);
    }
  }

  /** A part of the log, applied in one go. */
  private void replay(int partition, MemoryRows rows, long from, long end) {
    DeliveryRules rules = new DeliveryRules(rows, NONE, plan.partitions());
    Shell shell = new Shell(rows, rules, cast.log(), plan.variant());
    for (long offset = from; offset < end; offset++) {
      SimLog.Entry entry = cast.log().read(partition, offset);
      if (entry == null) {
        throw new IllegalStateException("the log has a hole");
      }
      if (entry.event() instanceof Event.Query) {
        rules.skip(entry.at()); // as who rebuilds may do
      } else {
        shell.apply(entry, entry.at(), copy -> {});
      }
    }
  }

  private void checkEpochs(MemoryRows rows) {
    for (String user : Users.of(rows)) {
      List<String> epochs = cast.ledger().epochs(user);
      Mailbox box = Mailbox.load(rows, user);
      if (box != null && box.latest() > 0 && !epochs.contains(box.epoch())) {
        throw new Violation("a replay gives " + user + " another epoch: " + box.epoch());
      }
    }
  }
}
