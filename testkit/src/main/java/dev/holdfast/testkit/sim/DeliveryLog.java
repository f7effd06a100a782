package dev.holdfast.testkit.sim;

import dev.holdfast.record.Delivery;
import java.util.ArrayList;
import java.util.List;

/** {@code holdfast.deliveries}, read uncommitted: what was written stays, whoever wrote it. */
final class DeliveryLog {
  private final List<List<Delivery>> partitions = new ArrayList<>();
  private final List<Runnable> readers = new ArrayList<>();

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

  void onAppend(Runnable reader) {
    readers.add(reader);
  }
}
