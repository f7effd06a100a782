package dev.holdfast.standalone;

import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "kafka",
    description =
        "Runs one of Kafka's own command-line tools; what follows its name is the tool's.")
final class KafkaCommand implements Callable<Integer> {
  private static final String TOOLS_PACKAGE = "org.apache.kafka.tools.";

  /** By the names of Kafka's scripts, without kafka- and .sh. */
  static final Map<String, String> TOOLS = tools();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "TOOL",
      description = "Left out: lists them.")
  private @Nullable String tool;

  @Parameters(index = "1..*", paramLabel = "ARGS", description = "The tool's own arguments.")
  private List<String> args = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    if (tool == null) {
      TOOLS.keySet().forEach(spec.commandLine().getOut()::println);
      return 0;
    }
    String name = tool.replaceFirst("^kafka-", "").replaceFirst("\\.sh$", "");
    String main = TOOLS.get(name);
    if (main == null) {
      throw new ParameterException(
          spec.commandLine(),
          "unknown tool "
              + tool
              + UsageErrors.hint(name, TOOLS.keySet())
              + "\nTools: "
              + String.join(", ", TOOLS.keySet()));
    }
    if (!Failures.verbose(spec.commandLine())) {
      ShortTraces.onStandardError();
    }
    try {
      Class.forName(main)
          .getMethod("main", String[].class)
          .invoke(null, (Object) args.toArray(String[]::new));
    } catch (InvocationTargetException e) {
      throw refusal(e.getCause() instanceof Exception cause ? cause : e);
    }
    return 0;
  }

  /** Some tools leave it to their caller to say what is wrong with their arguments. */
  private static Exception refusal(Exception e) {
    return e.getClass().getName().startsWith("joptsimple.")
        ? new IllegalArgumentException(e.getMessage(), e)
        : e;
  }

  private static Map<String, String> tools() {
    Map<String, String> tools = new TreeMap<>();
    tools.put("acls", "AclCommand");
    tools.put("broker-api-versions", "BrokerApiVersionsCommand");
    tools.put("client-metrics", "ClientMetricsCommand");
    tools.put("cluster", "ClusterTool");
    tools.put("configs", "ConfigCommand");
    tools.put("console-consumer", "consumer.ConsoleConsumer");
    tools.put("console-producer", "ConsoleProducer");
    tools.put("console-share-consumer", "consumer.ConsoleShareConsumer");
    tools.put("consumer-groups", "consumer.group.ConsumerGroupCommand");
    tools.put("consumer-perf-test", "ConsumerPerformance");
    tools.put("delete-records", "DeleteRecordsCommand");
    tools.put("dump-log", "DumpLogSegments");
    tools.put("features", "FeatureCommand");
    tools.put("get-offsets", "GetOffsetShell");
    tools.put("groups", "GroupsCommand");
    tools.put("jmx", "JmxTool");
    tools.put("leader-election", "LeaderElectionCommand");
    tools.put("log-dirs", "LogDirsCommand");
    tools.put("metadata-quorum", "MetadataQuorumCommand");
    tools.put("producer-perf-test", "ProducerPerformance");
    tools.put("reassign-partitions", "reassign.ReassignPartitionsCommand");
    tools.put("replica-verification", "ReplicaVerificationTool");
    tools.put("share-groups", "consumer.group.ShareGroupCommand");
    tools.put("streams-application-reset", "StreamsResetter");
    tools.put("streams-groups", "streams.StreamsGroupCommand");
    tools.put("topics", "TopicCommand");
    tools.put("transactions", "TransactionsCommand");
    tools.put("verifiable-consumer", "VerifiableConsumer");
    tools.put("verifiable-producer", "VerifiableProducer");
    tools.replaceAll((name, main) -> TOOLS_PACKAGE + main);
    tools.put("storage", "kafka.tools.StorageTool");
    return tools;
  }
}
