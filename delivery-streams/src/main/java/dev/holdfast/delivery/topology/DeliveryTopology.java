package dev.holdfast.delivery.topology;

import dev.holdfast.topic.Topics;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** One log in, one store, three topics out. */
final class DeliveryTopology {
  static final String STORE = "mailboxes";
  static final String DELIVERIES = "deliveries";
  static final String PRESENCE = "presence";
  static final String DEAD_LETTERS = "dead-letters";

  private DeliveryTopology() {}

  /** The topic that Kafka Streams keeps an application's store in. */
  static String changelog(String applicationId) {
    return applicationId + "-" + STORE + "-changelog";
  }

  static Topology build(ProcessorSupplier<byte[], byte[], OutKey, byte[]> processor) {
    Topology topology = new Topology();
    topology.addSource(
        "events", new ByteArrayDeserializer(), new ByteArrayDeserializer(), Topics.EVENTS.topic());
    topology.addProcessor("rules", processor, "events");
    topology.addStateStore(store(), "rules");
    sink(topology, DELIVERIES, Topics.DELIVERIES);
    sink(topology, PRESENCE, Topics.PRESENCE);
    sink(topology, DEAD_LETTERS, Topics.DEAD_LETTERS);
    return topology;
  }

  private static void sink(Topology topology, String name, Topics topic) {
    topology.addSink(
        name,
        topic.topic(),
        OutKey.SERIALIZER,
        new ByteArraySerializer(),
        OutKey.PARTITIONER,
        "rules");
  }

  private static StoreBuilder<KeyValueStore<Bytes, byte[]>> store() {
    return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray())
        .withCachingDisabled()
        // A row is never larger than twice the largest event (D13).
        .withLoggingEnabled(Map.of("max.message.bytes", "2097152"));
  }
}
