package dev.holdfast.client.rules;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The ids of the last 1 000 that were handed over. Not safe for several threads. */
public final class Seen {
  static final int MOST = 1_000;

  private final Set<String> ids = new LinkedHashSet<>();

  public boolean contains(String id) {
    return ids.contains(id);
  }

  public void add(String id) {
    ids.remove(id);
    ids.add(id);
    if (ids.size() > MOST) {
      ids.remove(ids.iterator().next());
    }
  }

  public void addAll(Collection<String> all) {
    all.forEach(this::add);
  }

  /** Oldest first: what is stored. */
  public List<String> all() {
    return List.copyOf(ids);
  }
}
