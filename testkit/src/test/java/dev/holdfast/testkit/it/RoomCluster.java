package dev.holdfast.testkit.it;

import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A cluster with one streams instance, two edges, and the namespace {@code rooms}, to which clients
 * may publish.
 */
record RoomCluster(Cluster cluster, ChannelTopic rooms) implements AutoCloseable {
  /** {@code more} changes what is started. */
  static RoomCluster start(String name, UnaryOperator<ClusterSpec> more, String... edgeOptions)
      throws InterruptedException, ExecutionException {
    String[] options =
        Stream.concat(Stream.of("--namespace", "rooms:publish=clients"), Stream.of(edgeOptions))
            .toArray(String[]::new);
    ClusterSpec spec = ClusterSpec.named(name).withReplicas("a").withEdgeOptions(options);
    Cluster cluster = Cluster.start(more.apply(spec));
    try {
      return new RoomCluster(
          cluster, ChannelTopic.create(cluster.bootstrap(), "rooms", 2, Map.of()));
    } catch (RuntimeException | InterruptedException | ExecutionException e) {
      cluster.close();
      throw e;
    }
  }

  @Override
  public void close() {
    rooms.close();
    cluster.close();
  }
}
