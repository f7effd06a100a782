package dev.holdfast.standalone;

import dev.holdfast.delivery.topology.RebuildCheck;
import dev.holdfast.delivery.topology.RebuildCheck.Found;
import dev.holdfast.delivery.topology.TopicsAdmin;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "rebuild",
    description =
        "Makes the state of the streams application anew from holdfast.events and compares it, row"
            + " by row, with what the running application has committed. Writes nothing to Kafka;"
            + " the application may go on meanwhile. Status 0: they are the same; 1: they differ,"
            + " or a part could not be compared.")
final class RebuildCommand implements Callable<Integer> {
  @Mixin private KafkaOptions kafka = new KafkaOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--check",
      description = "Compare; must be given, for there is nothing else that this command does yet.")
  private boolean check;

  @Option(
      names = "--replica",
      defaultValue = "a",
      paramLabel = "a|b",
      description = "Which application of the hot pair to compare with. Default: ${DEFAULT-VALUE}.")
  private String replica = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Where rows are kept meanwhile, in a directory that is deleted at the end: room for two"
              + " copies of the largest partition's state. Default: the system's temporary directory.")
  private @Nullable Path data;

  @Override
  public Integer call() throws Exception {
    if (!check) {
      throw new ParameterException(spec.commandLine(), "say --check");
    }
    Path parent = data;
    if (parent != null) {
      OptionChecks.directory("--data", parent);
    }
    try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
      admin.awaitBroker(KafkaOptions.PATIENCE);
    }
    Path dir = made(parent);
    try {
      return compare(dir) ? 0 : 1;
    } finally {
      Files.deleteIfExists(dir);
    }
  }

  private boolean compare(Path dir) {
    PrintWriter out = spec.commandLine().getOut();
    RebuildCheck rebuild = new RebuildCheck(kafka.bootstrap(), kafka.properties(), replica, dir);
    long[] rows = {0};
    boolean same =
        rebuild.run(
            found -> {
              rows[0] += found.rows();
              print(found, out);
            });
    out.println(
        same
            ? "the state of "
                + rebuild.application()
                + " is what its log says: "
                + rows[0]
                + " rows"
            : "the state of "
                + rebuild.application()
                + " is not known to be what its log says; see docs/operations.md, Checking the state");
    out.flush();
    return same;
  }

  private static void print(Found found, PrintWriter out) {
    String partition = "partition " + found.partition() + ": ";
    if (!found.checked()) {
      out.println(
          partition
              + "not compared, since the log begins at offset "
              + found.offset()
              + ": older records are past their retention, and what they did is in the state alone");
    } else if (found.differing() == 0) {
      out.println(partition + found.rows() + " rows agree at offset " + found.offset());
    } else {
      out.println(
          partition
              + found.differing()
              + " of "
              + found.rows()
              + " rows differ at offset "
              + found.offset()
              + (found.named().size() < found.differing() ? "; the first are:" : ":"));
      found.named().forEach(row -> out.println("  " + row));
    }
    out.flush();
  }

  private static Path made(@Nullable Path parent) throws IOException {
    if (parent == null) {
      return Files.createTempDirectory("holdfast-rebuild-");
    }
    Files.createDirectories(parent);
    return Files.createTempDirectory(parent, "holdfast-rebuild-");
  }
}
