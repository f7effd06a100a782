package dev.holdfast.testkit.process;

import dev.holdfast.delivery.topology.TopicsAdmin.TopicSizes;
import dev.holdfast.record.Rules;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What to start.
 *
 * @param name prefix of the log files under {@code target/process-logs}
 * @param replicas one streams instance each: {@code a}, {@code b}
 * @param edges how many edges
 * @param sizes partitions of the topics
 * @param rules changes the default rules
 * @param brokerOptions further options of {@code broker}; {@code {port}} in them stands for its
 *     port
 * @param streamsOptions further options of {@code streams}
 * @param edgeOptions further options of each edge
 * @param jvmFlags of every process
 */
public record ClusterSpec(
    String name,
    List<String> replicas,
    int edges,
    TopicSizes sizes,
    UnaryOperator<Rules> rules,
    List<String> brokerOptions,
    List<String> streamsOptions,
    List<String> edgeOptions,
    List<String> jvmFlags) {

  /** Two instances of one application, two edges, 8 partitions, the default rules. */
  public static ClusterSpec named(String name) {
    return new ClusterSpec(
        name,
        List.of("a", "a"),
        2,
        new TopicSizes(8, 4, 1),
        UnaryOperator.identity(),
        List.of(),
        List.of(),
        List.of(),
        HoldfastProcess.SMALL_JVM);
  }

  public ClusterSpec withReplicas(String... replicas) {
    return new ClusterSpec(
        name,
        List.of(replicas),
        edges,
        sizes,
        rules,
        brokerOptions,
        streamsOptions,
        edgeOptions,
        jvmFlags);
  }

  public ClusterSpec withEdges(int edges) {
    return new ClusterSpec(
        name, replicas, edges, sizes, rules, brokerOptions, streamsOptions, edgeOptions, jvmFlags);
  }

  public ClusterSpec withSizes(TopicSizes sizes) {
    return new ClusterSpec(
        name, replicas, edges, sizes, rules, brokerOptions, streamsOptions, edgeOptions, jvmFlags);
  }

  public ClusterSpec withRules(UnaryOperator<Rules> rules) {
    return new ClusterSpec(
        name, replicas, edges, sizes, rules, brokerOptions, streamsOptions, edgeOptions, jvmFlags);
  }

  public ClusterSpec withBrokerOptions(String... options) {
    return new ClusterSpec(
        name,
        replicas,
        edges,
        sizes,
        rules,
        List.of(options),
        streamsOptions,
        edgeOptions,
        jvmFlags);
  }

  public ClusterSpec withStreamsOptions(String... options) {
    return new ClusterSpec(
        name,
        replicas,
        edges,
        sizes,
        rules,
        brokerOptions,
        List.of(options),
        edgeOptions,
        jvmFlags);
  }

  public ClusterSpec withEdgeOptions(String... options) {
    return new ClusterSpec(
        name,
        replicas,
        edges,
        sizes,
        rules,
        brokerOptions,
        streamsOptions,
        List.of(options),
        jvmFlags);
  }

  public ClusterSpec withJvmFlags(List<String> flags) {
    return new ClusterSpec(
        name, replicas, edges, sizes, rules, brokerOptions, streamsOptions, edgeOptions, flags);
  }
}
