package dev.holdfast.standalone;

import dev.holdfast.delivery.topology.OperatorLog;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.id.Names;
import dev.holdfast.record.Event;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "kick",
    description =
        "Ends a user's connections with 4410: such a client stays away until its app asks again."
            + " Does not keep anybody out; that is the business of tokens.")
final class KickCommand implements Callable<Integer> {
  @Mixin private KafkaOptions kafka = new KafkaOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "USER", description = "Whose connections end.")
  private String user = "";

  @Option(
      names = "--client",
      paramLabel = "ID",
      description = "Only the connection of this client. Default: all of the user's.")
  private @Nullable String client;

  @Override
  public Integer call() throws Exception {
    check("USER", user);
    if (client != null) {
      check("--client", client);
    }
    try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
      admin.awaitBroker(KafkaOptions.PATIENCE);
    }
    OperatorLog.Place at =
        new OperatorLog(kafka.bootstrap(), KafkaOptions.PATIENCE, kafka.properties())
            .append(user, new Event.Kick(client));
    spec.commandLine()
        .getOut()
        .println(
            "in the log at partition "
                + at.partition()
                + ", offset "
                + at.offset()
                + "; what "
                + user
                + (client == null ? "" : "'s " + client)
                + " has connected by then is closed with 4410");
    return 0;
  }

  private static void check(String what, String name) {
    if (!Names.valid(name)) {
      throw new IllegalArgumentException(
          what + " must be 1-128 characters of [A-Za-z0-9._~@:-], not '" + name + "'");
    }
  }
}
