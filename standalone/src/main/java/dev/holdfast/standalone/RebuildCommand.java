package dev.holdfast.standalone;

import dev.holdfast.delivery.topology.RebuildCheck;
import dev.holdfast.delivery.topology.RebuildCheck.Found;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.standalone.broker.DataLock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
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
            + " by row, with what the running application has committed to its changelog in Kafka."
            + " The copies that instances keep on their disks, and answer from, it does not see: see"
            + " --instance-data. Writes nothing to Kafka; the application may go on meanwhile. Status"
            + " 0: they are the same; 1: they differ, or a part could not be compared.")
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

  @Option(
      names = "--snapshot",
      paramLabel = "DIR",
      description =
          "Begin at the snapshot of each partition in this directory, rather than at offset 0, and"
              + " keep there what was made of the log where all rows agree, for the next time. Where"
              + " there is none and the log does not begin at 0, the application's rows are kept."
              + " Has all messages in it: readable by its owner only.")
  private @Nullable Path snapshot;

  @Option(
      names = "--instance-data",
      paramLabel = "DIR",
      description =
          "The --data of a streams instance that is stopped: compare its own copy, brought up to date"
              + " from the changelog as at its next start. Only of the partitions that it has; nothing"
              + " is written there.")
  private @Nullable Path instanceData;

  @Override
  public Integer call() throws Exception {
    if (!check) {
      throw new ParameterException(spec.commandLine(), "say --check");
    }
    Path parent = data;
    if (parent != null) {
      OptionChecks.directory("--data", parent);
    }
    Path instance = instanceData;
    if (instance == null) {
      return check(parent);
    }
    if (!Files.isDirectory(instance)) {
      throw new IllegalArgumentException("--instance-data " + instance + " is no directory");
    }
    DataLock lock =
        DataLock.take(instance.toAbsolutePath().normalize(), "holdfast streams", "--instance-data");
    try {
      return check(parent);
    } finally {
      lock.close();
    }
  }

  private int check(@Nullable Path parent) throws IOException {
    Path kept = snapshot;
    if (kept == null) {
      return run(parent, null);
    }
    OptionChecks.directory("--snapshot", kept);
    boolean anew = Files.notExists(kept);
    DataLock lock = DataLock.take(kept, "holdfast rebuild", "--snapshot");
    try {
      if (anew) {
        forItsOwnerOnly(kept);
      }
      return run(parent, kept);
    } finally {
      lock.close();
    }
  }

  private static void forItsOwnerOnly(Path dir) throws IOException {
    @Nullable PosixFileAttributeView view =
        Files.getFileAttributeView(dir, PosixFileAttributeView.class);
    if (view != null) { // otherwise a system without such permissions
      view.setPermissions(PosixFilePermissions.fromString("rwx------"));
    }
  }

  private int run(@Nullable Path parent, @Nullable Path kept) throws IOException {
    try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
      admin.awaitBroker(KafkaOptions.PATIENCE);
    }
    Path dir = made(parent);
    try {
      return compare(dir, kept) ? 0 : 1;
    } finally {
      Files.deleteIfExists(dir);
    }
  }

  private boolean compare(Path dir, @Nullable Path kept) {
    PrintWriter out = spec.commandLine().getOut();
    RebuildCheck rebuild =
        new RebuildCheck(kafka.bootstrap(), kafka.properties(), replica, dir, kept, instanceData);
    long[] rows = {0};
    boolean same =
        rebuild.run(
            found -> {
              rows[0] += found.rows();
              print(found, out);
            });
    String of = instanceData == null ? "" : "this instance's copy of ";
    out.println(
        of
            + (same
                ? "the state of "
                    + rebuild.application()
                    + " is what its log says: "
                    + rows[0]
                    + " rows"
                : "the state of "
                    + rebuild.application()
                    + " is not known to be what its log says; see docs/operations.md, Checking the state"));
    out.flush();
    return same;
  }

  private static void print(Found found, PrintWriter out) {
    Found.Lack lack = found.lack();
    out.println(
        "partition "
            + found.partition()
            + ": "
            + (lack == null ? compared(found) : notCompared(found, lack)));
    found.named().forEach(row -> out.println("  " + row));
    out.flush();
  }

  private static String notCompared(Found found, Found.Lack lack) {
    return "not compared, since the log begins at offset "
        + lack.start()
        + (lack.snapshot() < 0
            ? ": older records are past their retention, and what they did is in the state alone"
            : " and the snapshot ends at " + lack.snapshot() + ": what lies between is gone")
        + (found.offset() < 0
            ? ""
            : "; the application's rows at offset "
                + found.offset()
                + " are kept, for the next check to begin with");
  }

  private static String compared(Found found) {
    String since =
        (found.begin() == 0 ? "" : ", from the snapshot at " + found.begin())
            + (found.trusted() == 0
                ? ""
                : "; what is older than offset "
                    + found.trusted()
                    + " was taken over from the application, unchecked");
    if (found.differing() == 0) {
      return found.rows() + " rows agree at offset " + found.offset() + since;
    }
    return found.differing()
        + " of "
        + found.rows()
        + " rows differ at offset "
        + found.offset()
        + since
        + (found.named().size() < found.differing() ? "; the first are:" : ":");
  }

  private static Path made(@Nullable Path parent) throws IOException {
    if (parent == null) {
      return Files.createTempDirectory("holdfast-rebuild-");
    }
    Files.createDirectories(parent);
    return Files.createTempDirectory(parent, "holdfast-rebuild-");
  }
}
