package dev.holdfast.edge.admission;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each address holds open. An address is here only while it holds something, so there are
 * never more entries than sockets. Thread-safe; touched when sockets come and go, not for frames.
 */
final class Occupancy {
  /** The key of an address that is not counted. */
  static final long UNCOUNTED = 0;

  private static final class Held {
    int sockets;
    int connections;
    int awaitingHello;
  }

  private final Map<Long, Held> byAddress = new HashMap<>();
  private final int maxConnections;
  private final int maxAwaitingHello;
  private final int maxHttpSockets;

  /** Each for one address; 0: no limit. */
  Occupancy(int maxConnections, int maxAwaitingHello, int maxHttpSockets) {
    this.maxConnections = maxConnections;
    this.maxAwaitingHello = maxAwaitingHello;
    this.maxHttpSockets = maxHttpSockets;
  }

  /** Takes a new socket, unless the address holds too many that are no WebSockets. */
  synchronized boolean socket(long address) {
    if (address == UNCOUNTED) {
      return true;
    }
    Held held = byAddress.computeIfAbsent(address, key -> new Held());
    if (over(held.sockets - held.connections, maxHttpSockets)) {
      return false;
    }
    held.sockets++;
    return true;
  }

  synchronized void socketGone(long address) {
    Held held = of(address);
    if (held != null) {
      held.sockets--;
      forget(address, held);
    }
  }

  /** Why the address may not have one more WebSocket; null when it may. */
  synchronized @Nullable Refusal refusal(long address) {
    Held held = of(address);
    if (held == null) {
      return null;
    }
    if (over(held.connections, maxConnections)) {
      return Refusal.IP_CONNECTIONS;
    }
    return over(held.awaitingHello, maxAwaitingHello) ? Refusal.IP_AWAITING_HELLO : null;
  }

  synchronized void enter(long address) {
    if (address != UNCOUNTED) {
      Held held = byAddress.computeIfAbsent(address, key -> new Held());
      held.connections++;
      held.awaitingHello++;
    }
  }

  synchronized void helloDone(long address) {
    Held held = of(address);
    if (held != null) {
      held.awaitingHello--;
    }
  }

  synchronized void leave(long address) {
    Held held = of(address);
    if (held != null) {
      held.connections--;
      forget(address, held);
    }
  }

  /** Addresses that hold something. */
  synchronized int size() {
    return byAddress.size();
  }

  private @Nullable Held of(long address) {
    return address == UNCOUNTED ? null : byAddress.get(address);
  }

  private void forget(long address, Held held) {
    if (held.sockets <= 0 && held.connections <= 0) {
      byAddress.remove(address);
    }
  }

  private static boolean over(int now, int most) {
    return most > 0 && now >= most;
  }
}
