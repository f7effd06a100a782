package dev.holdfast.edge.ingress;

import dev.holdfast.record.ConnDigest;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which connections the log knows of, as far as this edge told it (D10). The publisher thread alone
 * changes and reads it, in the order in which it sends records, so a roster agrees exactly with the
 * connects and disconnects before it. Only a roster's {@link Due#finished} is called elsewhere.
 *
 * <p>A partition gets rosters from its first connection on until one empty roster was stored. While
 * one is not yet stored no further one is made, so an outage piles up nothing.
 */
final class Rosters {
  /** Milliseconds between two rosters of a partition. */
  static final long INTERVAL_MS = 5_000;

  /** Least milliseconds between two rosters with the list. */
  static final long LIST_INTERVAL_MS = 1_000;

  private record PageKey(int partition, EdgeRef edge) {}

  private final Map<PageKey, Page> pages = new HashMap<>();

  /** A connect record of the connection was sent. */
  void connected(
      int partition, EdgeRef edge, String user, String clientId, String connId, long nowMs) {
    page(partition, edge, nowMs).add(new Event.Roster.Entry(user, clientId, connId));
  }

  /** A disconnect record of the connection was sent, or the log ended it. */
  void gone(int partition, EdgeRef edge, String connId) {
    Page page = pages.get(new PageKey(partition, edge));
    if (page != null) {
      page.remove(connId);
    }
  }

  /** The log asked for the list. */
  void wanted(int partition, EdgeRef edge, long nowMs) {
    page(partition, edge, nowMs).wanted = true;
  }

  /** The rosters that are to be sent now. */
  List<Due> due(long nowMs) {
    List<Due> due = new ArrayList<>();
    Iterator<Map.Entry<PageKey, Page>> all = pages.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<PageKey, Page> each = all.next();
      Page page = each.getValue();
      page.settle();
      if (page.finished()) {
        all.remove();
      } else if (page.due(nowMs)) {
        due.add(page.make(each.getKey(), nowMs));
      }
    }
    return due;
  }

  private Page page(int partition, EdgeRef edge, long nowMs) {
    return pages.computeIfAbsent(new PageKey(partition, edge), k -> new Page(nowMs));
  }

  /** A roster to send. */
  record Due(int partition, Event.Roster roster, AtomicReference<Flight> flight) {
    /**
     * Told when the producer is done with it; any thread.
     *
     * @param stored whether it is on all in-sync replicas
     */
    void finished(boolean stored) {
      flight.set(stored ? Flight.STORED : Flight.FAILED);
    }
  }

  /** How far the newest roster of a page got. */
  enum Flight {
    NONE,
    UNDER_WAY,
    STORED,
    FAILED
  }

  /** One partition's connections. */
  private static final class Page {
    private final Map<String, Event.Roster.Entry> entries = new LinkedHashMap<>();
    private final AtomicReference<Flight> flight = new AtomicReference<>(Flight.NONE);
    private long digest;
    private long sentAtMs;
    private long listAtMs;
    private boolean wanted;
    private boolean sentEmpty;
    private boolean emptyStored;

    Page(long nowMs) {
      sentAtMs = nowMs;
      listAtMs = nowMs - LIST_INTERVAL_MS;
    }

    void add(Event.Roster.Entry entry) {
      if (entries.put(entry.connId(), entry) == null) {
        digest ^= ConnDigest.of(entry.connId());
      }
    }

    void remove(String connId) {
      if (entries.remove(connId) != null) {
        digest ^= ConnDigest.of(connId);
      }
    }

    /** Takes note of how the roster under way ended. */
    void settle() {
      if (flight.get() == Flight.STORED) {
        emptyStored = sentEmpty;
        flight.set(Flight.NONE);
      } else if (flight.get() == Flight.FAILED) {
        flight.set(Flight.NONE);
      }
    }

    boolean finished() {
      return entries.isEmpty() && emptyStored && !wanted && flight.get() == Flight.NONE;
    }

    boolean due(long nowMs) {
      if (flight.get() != Flight.NONE) {
        return false;
      }
      return nowMs - sentAtMs >= INTERVAL_MS || (wanted && nowMs - listAtMs >= LIST_INTERVAL_MS);
    }

    Due make(PageKey key, long nowMs) {
      boolean withList = wanted && nowMs - listAtMs >= LIST_INTERVAL_MS;
      if (withList) {
        wanted = false;
        listAtMs = nowMs;
      }
      sentAtMs = nowMs;
      sentEmpty = entries.isEmpty();
      flight.set(Flight.UNDER_WAY);
      Event.Roster roster =
          new Event.Roster(
              key.edge(), entries.size(), digest, withList ? List.copyOf(entries.values()) : null);
      return new Due(key.partition(), roster, flight);
    }
  }
}
