package dev.holdfast.edge.session;

import dev.holdfast.edge.presence.Presence;
import dev.holdfast.edge.presence.PresenceState;
import dev.holdfast.edge.presence.Watch;
import dev.holdfast.edge.presence.Watcher;
import dev.holdfast.frame.ErrorCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whose presence one connection is told. Runs under its session's lock, and takes it when the
 * presence thread calls.
 *
 * <p>A client that reads slowly gets less, not an error: while a quarter of its queue's budget is
 * used, users whose presence changed wait here, each once, and what is sent later is the newest. So
 * presence alone neither fills a queue nor closes a connection, and no frame tells an older state
 * than one before it.
 */
final class Watches implements Watcher {
  private static final int NAMED = RateGate.NAMED;

  /** Milliseconds after which a watch that was given up may be tried again, and as many more. */
  private static final int RETRY_MS = 2_000;

  private final Session session;
  private final SessionContext context;
  private final Transport transport;
  private final Predicate<String> allowed;
  private final Map<String, Mine> mine = new HashMap<>();
  private final Queue<Mine> waiting = new ArrayDeque<>(2);

  /** One user, and what the client was told of him. */
  private static final class Mine extends Watch {
    private @Nullable PresenceState told;
    private boolean late;
    private boolean ended;

    Mine(Watcher watcher, String user) {
      super(watcher, user);
    }
  }

  /**
   * @param allowed whether the client may see a user's presence now
   */
  Watches(Session session, SessionContext context, Transport transport, Predicate<String> allowed) {
    this.session = session;
    this.context = context;
    this.transport = transport;
    this.allowed = allowed;
  }

  /** The client wants to know of these users; each named once. All of them or none. */
  void watch(List<String> users) {
    Presence presence = context.presence();
    List<String> forbidden = users.stream().filter(allowed.negate()).toList();
    if (!forbidden.isEmpty()) {
      refuse(ErrorCode.FORBIDDEN, "the token does not allow to watch", forbidden, -1);
      return;
    }
    List<String> added = users.stream().filter(user -> !mine.containsKey(user)).toList();
    int more = added.size();
    int most = presence.limits().watches();
    if (mine.size() + more > most) {
      String why = "a connection may watch " + most + " users; it watches " + mine.size();
      refuse(ErrorCode.TOO_MANY, why, added, -1); // those watched before are watched on
      return;
    }
    if (!presence.reserve(more)) {
      refuse(ErrorCode.OVERLOADED, "this node watches as many as it can", users, retryAfterMs());
      return;
    }
    List<Watch> asked = new ArrayList<>(users.size());
    for (String user : users) {
      Mine one = mine.computeIfAbsent(user, name -> new Mine(this, name));
      one.told = null;
      asked.add(one);
    }
    presence.watch(asked);
  }

  /** The client wants to know no more of these. */
  void unwatch(List<String> users) {
    List<Watch> ended = new ArrayList<>();
    for (String user : users) {
      forget(user, ended);
    }
    context.presence().unwatch(ended);
  }

  /** What the client may see may be less than before. */
  void narrowed() {
    List<String> forbidden = mine.keySet().stream().filter(allowed.negate()).sorted().toList();
    if (!forbidden.isEmpty()) {
      unwatch(forbidden);
      refuse(ErrorCode.FORBIDDEN, "the token does not allow to watch any more", forbidden, -1);
    }
  }

  /** Sends what waited, as far as there is room. */
  void sweep() {
    while (!waiting.isEmpty() && hasRoom()) {
      Mine next = waiting.remove();
      next.late = false;
      send(next);
    }
  }

  /** The connection ended. */
  void end() {
    unwatch(List.copyOf(mine.keySet()));
    waiting.clear();
  }

  @Override
  public void changed(Watch watch) {
    session.whileLive(() -> tell(watch));
  }

  @Override
  public void gaveUp(List<Watch> watches) {
    session.whileLive(
        () -> {
          List<String> users = new ArrayList<>();
          for (Watch watch : watches) {
            Mine one = mine.get(watch.user());
            if (one == watch && one != null) {
              forget(watch.user(), new ArrayList<>());
              users.add(watch.user());
            }
          }
          refuse(
              ErrorCode.OVERLOADED,
              "presence cannot be known now; watch again",
              users,
              retryAfterMs());
        });
  }

  private void tell(Watch watch) {
    Mine one = mine.get(watch.user());
    if (one == null || one != watch || one.late) {
      return;
    }
    if (waiting.isEmpty() && hasRoom()) {
      send(one);
    } else {
      one.late = true;
      waiting.add(one);
    }
  }

  private void send(Mine one) {
    PresenceState newest = one.state();
    if (newest != null && newest != one.told && !one.ended) {
      one.told = newest;
      session.replies().send(newest.frame(), 0);
    }
  }

  private boolean hasRoom() {
    return transport.queuedBytes() < context.limits().queueBytes() / 4;
  }

  private void forget(String user, List<Watch> ended) {
    Mine one = mine.remove(user);
    if (one != null) {
      one.ended = true;
      ended.add(one);
    }
  }

  /** Names all of them, in as many errors as that takes. */
  private void refuse(ErrorCode code, String why, List<String> users, long retryAfterMs) {
    for (int from = 0; from < users.size(); from += NAMED) {
      List<String> some = users.subList(from, Math.min(users.size(), from + NAMED));
      session.replies().refuse(code, why, some, retryAfterMs);
    }
  }

  /** Drawn, so that those who were given up together do not come back together. */
  private long retryAfterMs() {
    return (long) RETRY_MS + context.random().nextInt(RETRY_MS);
  }
}
