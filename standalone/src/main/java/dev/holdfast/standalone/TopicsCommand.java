package dev.holdfast.standalone;

import dev.holdfast.channel.Namespaces;
import dev.holdfast.delivery.DeliveryConfig;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.delivery.topology.TopicsAdmin.Finding;
import dev.holdfast.delivery.topology.TopicsAsked;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "topics",
    description = "Makes or checks Holdfast's topics.",
    subcommands = {TopicsCommand.Init.class, TopicsCommand.Check.class})
final class TopicsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say init or check");
  }

  @Command(
      name = "init",
      description =
          "Waits for the broker and makes the topics that do not exist; repeating is safe.")
  static final class Init implements Callable<Integer> {
    @Mixin private KafkaOptions kafka = new KafkaOptions();
    @Mixin private ChannelOptions channels = new ChannelOptions();
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--channel-partitions",
        defaultValue = "6",
        description =
            "Partitions of the topics of --namespace that are missing; they may not grow without"
                + " ending what clients can resume. Default: ${DEFAULT-VALUE}.")
    private int channelPartitions;

    @Option(
        names = "--replication",
        description =
            "Copies of each partition of topics that are made; 3 where machines may die. Default: 1.")
    private @Nullable Integer replication;

    @Option(
        names = "--partitions",
        description = "Partitions of holdfast.events, for life. Default: 24.")
    private @Nullable Integer partitions;

    @Option(
        names = "--delivery-partitions",
        description = "Partitions of holdfast.deliveries; may grow. Default: 24.")
    private @Nullable Integer deliveryPartitions;

    @Option(
        names = "--wait",
        defaultValue = "60",
        paramLabel = "SECONDS",
        description = "How long to wait for the broker. Default: ${DEFAULT-VALUE}.")
    private int waitSeconds;

    @Override
    public Integer call() throws Exception {
      OptionChecks.atLeast("--wait", 0, waitSeconds);
      OptionChecks.atLeast("--channel-partitions", 1, channelPartitions);
      Namespaces namespaces = channels.namespaces(List.of());
      atLeastOne("--partitions", partitions);
      atLeastOne("--delivery-partitions", deliveryPartitions);
      if (replication != null) {
        OptionChecks.between("--replication", 1, Short.MAX_VALUE, replication);
      }
      try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
        admin.awaitBroker(Duration.ofSeconds(waitSeconds));
        int status = init(admin, spec.commandLine().getOut());
        if (status == 0 && !namespaces.all().isEmpty()) {
          ChannelTopics.create(
              kafka.bootstrap(),
              kafka.properties(),
              namespaces,
              channelPartitions,
              replication == null ? 1 : replication);
        }
        return status;
      }
    }

    private int init(TopicsAdmin admin, PrintWriter out) {
      List<Finding> found =
          admin.init(new TopicsAsked(partitions, deliveryPartitions, replication));
      print(found, out);
      if (found.stream().anyMatch(Finding::refusal)) {
        out.println("nothing was changed");
        out.flush();
        return 1;
      }
      return report(admin.check("classic"), out);
    }

    private static void atLeastOne(String option, @Nullable Integer value) {
      if (value != null) {
        OptionChecks.atLeast(option, 1, value);
      }
    }
  }

  @Command(
      name = "check",
      description =
          "Tells what of the topics' and each broker's settings is wrong or costs something, and what"
              + " to do. Give it the options that streams instances get.")
  static final class Check implements Callable<Integer> {
    @Mixin private KafkaOptions kafka = new KafkaOptions();
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--group-protocol",
        defaultValue = "classic",
        paramLabel = "classic|streams",
        description = "What streams instances use. Default: ${DEFAULT-VALUE}.")
    private String groupProtocol = "";

    @Override
    public Integer call() throws Exception {
      DeliveryConfig.checkGroupProtocol(groupProtocol);
      try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
        admin.awaitBroker(KafkaOptions.PATIENCE);
        return report(admin.check(groupProtocol), spec.commandLine().getOut());
      }
    }
  }

  /** 1 when something would keep the streams application from starting. */
  private static int report(List<Finding> findings, PrintWriter out) {
    print(findings, out);
    boolean refused = findings.stream().anyMatch(Finding::refusal);
    out.println(refused ? "the topics cannot be used as they are" : "topics are ready");
    out.flush();
    return refused ? 1 : 0;
  }

  private static void print(List<Finding> findings, PrintWriter out) {
    findings.forEach(f -> out.println((f.refusal() ? "refused: " : "warning: ") + f.text()));
  }
}
