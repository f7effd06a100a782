package dev.holdfast.edge.channel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who is live in a feed, by key. Each knows its slot, so that leaving costs no search. */
final class Audience {
  private final Map<String, List<Subscription>> live = new HashMap<>();
  private int size;

  /** Those of a key, in no order; null when there is none. */
  @Nullable List<Subscription> of(String key) {
    return live.get(key);
  }

  void add(Subscription s, Feed home) {
    List<Subscription> subscribers = live.computeIfAbsent(s.key(), key -> new ArrayList<>(1));
    s.settle(home, subscribers.size());
    subscribers.add(s);
    size++;
  }

  /** Takes one out that is in; the last of its key takes its slot. */
  void remove(Subscription s, Feed home) {
    List<Subscription> subscribers = live.get(s.key());
    if (subscribers == null) {
      return;
    }
    Subscription last = subscribers.remove(subscribers.size() - 1);
    if (last != s) {
      subscribers.set(s.slot(), last);
      last.settle(home, s.slot());
    }
    s.settle(null, 0);
    size--;
    if (subscribers.isEmpty()) {
      live.remove(s.key());
    }
  }

  void forEach(Consumer<Subscription> each) {
    live.values().forEach(subscribers -> subscribers.forEach(each));
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    live.clear();
    size = 0;
  }
}
