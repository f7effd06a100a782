package dev.holdfast.edge;

import dev.holdfast.edge.session.EventSink;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import dev.holdfast.record.Welcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The far side of {@link EventSink} in memory: keeps what was offered and stores it at once. */
public final class FakeLog implements EventSink {
  /** One offer. */
  public record Offer(List<String> users, Event event, @Nullable Outcome outcome) {}

  public final List<Offer> offers = new CopyOnWriteArrayList<>();
  public final List<String> forgotten = new CopyOnWriteArrayList<>();
  public volatile boolean full;

  /** After so many offers one finds no room; the next does again. */
  public volatile int refusesAfter = -1;

  public volatile boolean holdOutcomes;
  public volatile @Nullable Sessions welcomes;

  @Override
  public boolean offer(List<String> users, Event event, @Nullable Outcome outcome) {
    if (full && !(event instanceof Event.Disconnect)) {
      return false;
    }
    if (offers.size() == refusesAfter) {
      refusesAfter = -1;
      return false;
    }
    offers.add(new Offer(users, event, outcome));
    if (outcome != null && !holdOutcomes) {
      elsewhere(() -> outcome.done(true));
    }
    Sessions sessions = welcomes;
    if (event instanceof Event.Connect connect && sessions != null) {
      Long lastSeq = connect.lastSeq();
      Welcome welcome = welcome(lastSeq == null ? 0 : lastSeq);
      elsewhere(
          () -> {
            var session = sessions.get(connect.connId());
            if (session != null) {
              session.onWelcome(welcome);
            }
          });
    }
    return true;
  }

  @Override
  public void forget(String user, String connId, EdgeRef edge) {
    forgotten.add(connId);
  }

  @Override
  public void rosterWanted(int partition) {}

  /** The events of one type, in the order offered. */
  public <E extends Event> List<E> events(Class<E> type) {
    List<E> found = new ArrayList<>();
    for (Offer offer : offers) {
      if (type.isInstance(offer.event())) {
        found.add(type.cast(offer.event()));
      }
    }
    return found;
  }

  /** A welcome after which the next message is {@code from + 1}. */
  public static Welcome welcome(long from) {
    return new Welcome(
        true, null, "e1", from, from, 0, from, 86_400_000, 500, 256, 262_144, 86_400_000);
  }

  private static void elsewhere(Runnable task) {
    Thread thread = new Thread(task, "fake-log");
    thread.setDaemon(true);
    thread.start();
  }
}
