package dev.holdfast.edge.presence;

import dev.holdfast.RawJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Presence in memory: answers at once, or not at all. On the caller's thread. */
public final class FakePresence implements Presence {
  public final PresenceConfig config;
  public final Set<Watch> watches = new LinkedHashSet<>();

  /** Room that was taken and not given back. */
  public int reserved;

  /** Whether nothing can be known. */
  public volatile boolean unknown;

  /** Whether questions wait for {@link #change} instead of being answered at once. */
  public boolean silent;

  private final Map<String, PresenceState> states = new HashMap<>();
  private long revs;

  public FakePresence() {
    this(PresenceConfig.DEFAULT);
  }

  public FakePresence(PresenceConfig config) {
    this.config = config;
  }

  /** The user is online or offline since then, and whoever watches is told. */
  public void change(String user, boolean online, long since) {
    RawJson clients =
        RawJson.of("[{\"clientId\":\"phone\",\"edge\":\"edge-1\",\"since\":" + since + "}]");
    PresenceState next = new PresenceState(user, online, since, 0, clients, online ? 1 : 0, ++revs);
    states.put(user, next);
    for (Watch watch : List.copyOf(watches)) {
      if (watch.user().equals(user)) {
        watch.tell(next);
      }
    }
  }

  /** Nobody can know these users now. */
  public void giveUp(String... users) {
    Map<Watcher, List<Watch>> ended = new HashMap<>();
    for (Watch watch : List.copyOf(watches)) {
      if (List.of(users).contains(watch.user())) {
        unwatch(List.of(watch));
        ended.computeIfAbsent(watch.watcher(), w -> new ArrayList<>()).add(watch);
      }
    }
    ended.forEach(Watcher::gaveUp);
  }

  @Override
  public PresenceConfig limits() {
    return config;
  }

  @Override
  public boolean reserve(int more) {
    if (reserved + more > config.nodeWatches()) {
      return false;
    }
    reserved += more;
    return true;
  }

  @Override
  public void watch(List<Watch> some) {
    watches.addAll(some);
    if (!silent) {
      some.forEach(watch -> watch.tell(state(watch.user())));
    }
  }

  @Override
  public void unwatch(Collection<Watch> some) {
    for (Watch watch : some) {
      reserved -= watches.remove(watch) ? 1 : 0;
    }
  }

  @Override
  public boolean lookup(String user, Consumer<@Nullable PresenceState> answer) {
    answer.accept(unknown ? null : state(user));
    return true;
  }

  private PresenceState state(String user) {
    PresenceState known = states.get(user);
    return known == null ? PresenceState.none(user) : known;
  }
}
