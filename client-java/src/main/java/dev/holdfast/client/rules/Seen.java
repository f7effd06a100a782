package dev.holdfast.client.rules;

import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ids of what was handed over: the newest 1 000, and beyond those the ones of the last 10 min, at
 * most 10 000. Not safe for several threads.
 */
public final class Seen {
  static final int AT_LEAST = 1_000;
  static final int AT_MOST = 10_000;
  static final long KEEP_MS = 600_000;

  private final Map<String, Long> ids = new LinkedHashMap<>();

  public boolean contains(String id) {
    return ids.containsKey(id);
  }

  /** Notes an id; {@code nowMs} of a clock that is not set back. */
  public void add(String id, long nowMs) {
    ids.remove(id);
    ids.put(id, nowMs);
    Iterator<Map.Entry<String, Long>> oldest = ids.entrySet().iterator();
    while (ids.size() > AT_LEAST && oldest.hasNext()) {
      boolean old = oldest.next().getValue() < nowMs - KEEP_MS;
      if (!old && ids.size() <= AT_MOST) {
        return;
      }
      oldest.remove();
    }
  }

  public void addAll(Collection<String> all, long nowMs) {
    all.forEach(id -> add(id, nowMs));
  }

  /** The newest 1 000, oldest first: what is stored. */
  public List<String> newest() {
    List<String> all = List.copyOf(ids.keySet());
    return all.subList(Math.max(0, all.size() - AT_LEAST), all.size());
  }
}
