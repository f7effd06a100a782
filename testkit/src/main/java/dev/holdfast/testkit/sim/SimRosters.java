package dev.holdfast.testkit.sim;

import dev.holdfast.record.ConnDigest;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an edge answers for, by partition of the log, kept as its producer sends (D10). */
final class SimRosters {
  private static final long INTERVAL_MS = 5_000;
  private static final long LIST_INTERVAL_MS = 1_000;

  private record Key(int partition, EdgeRef edge) {}

  /** A roster to append. */
  record Due(int partition, Event.Roster roster) {}

  private static final class Page {
    final Map<String, Event.Roster.Entry> entries = new LinkedHashMap<>();
    long sentAt;
    long listAt;
    boolean wanted;
    boolean sentEmpty;
  }

  private final Map<Key, Page> pages = new LinkedHashMap<>();

  void connected(int partition, String user, Event.Connect e, long now) {
    page(partition, e.edge(), now)
        .entries
        .put(e.connId(), new Event.Roster.Entry(user, e.clientId(), e.connId()));
  }

  void gone(int partition, EdgeRef edge, String connId) {
    Page page = pages.get(new Key(partition, edge));
    if (page != null) {
      page.entries.remove(connId);
    }
  }

  void wanted(int partition, EdgeRef edge, long now) {
    page(partition, edge, now).wanted = true;
  }

  List<Due> due(long now) {
    List<Due> due = new ArrayList<>();
    Iterator<Map.Entry<Key, Page>> all = pages.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Key, Page> each = all.next();
      Page page = each.getValue();
      if (page.entries.isEmpty() && page.sentEmpty && !page.wanted) {
        all.remove();
      } else if (now - page.sentAt >= INTERVAL_MS
          || (page.wanted && now - page.listAt >= LIST_INTERVAL_MS)) {
        due.add(make(each.getKey(), page, now));
      }
    }
    return due;
  }

  private Page page(int partition, EdgeRef edge, long now) {
    Key key = new Key(partition, edge);
    Page page = pages.get(key);
    if (page == null) {
      page = new Page();
      page.sentAt = now;
      page.listAt = now - LIST_INTERVAL_MS;
      pages.put(key, page);
    }
    return page;
  }

  private static Due make(Key key, Page page, long now) {
    boolean list = page.wanted && now - page.listAt >= LIST_INTERVAL_MS;
    if (list) {
      page.wanted = false;
      page.listAt = now;
    }
    page.sentAt = now;
    page.sentEmpty = page.entries.isEmpty();
    long digest = 0;
    for (String connId : page.entries.keySet()) {
      digest ^= ConnDigest.of(connId);
    }
    return new Due(
        key.partition(),
        new Event.Roster(
            key.edge(),
            page.entries.size(),
            digest,
            list ? List.copyOf(page.entries.values()) : null));
  }
}
