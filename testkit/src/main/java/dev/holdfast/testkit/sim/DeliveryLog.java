package dev.holdfast.testkit.sim;

import dev.holdfast.record.Delivery;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code holdfast.deliveries}, read uncommitted: what was written stays, whoever wrote it. */
final class DeliveryLog {
  private final List<List<Delivery>> partitions = new ArrayList<>();
  private final List<Runnable> readers = new ArrayList<>();
  private final Set<String> unheard = new HashSet<>();

  DeliveryLog(int partitions) {
    for (int i = 0; i < partitions; i++) {
      this.partitions.add(new ArrayList<>());
    }
  }

  void append(Delivery delivery) {
    partitions.get(delivery.to().partition()).add(delivery);
    readers.forEach(Runnable::run);
  }

  int end(int partition) {
    return partitions.get(partition).size();
  }

  Delivery read(int partition, int offset) {
    return partitions.get(partition).get(offset);
  }

  /** The connection's close was not emitted: its edge hears of it with a roster. */
  void keptBack(String connId) {
    unheard.add(connId);
  }

  boolean wasKeptBack(String connId) {
    return unheard.contains(connId);
  }

  void onAppend(Runnable reader) {
    readers.add(reader);
  }
}
