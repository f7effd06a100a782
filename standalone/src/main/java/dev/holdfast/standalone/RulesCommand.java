package dev.holdfast.standalone;

import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.record.Rules;
import java.io.PrintWriter;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "rules",
    description = "Shows or changes the limits that decide what is delivered; they lie in the log.",
    subcommands = {RulesCommand.Show.class, RulesCommand.Set.class})
final class RulesCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say show or set");
  }

  @Command(name = "show", description = "Prints the rules in force, one a line.")
  static final class Show implements Callable<Integer> {
    @Mixin private KafkaOptions kafka = new KafkaOptions();
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws Exception {
      try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
        admin.awaitBroker(KafkaOptions.PATIENCE);
        print(admin.rulesOf(), spec.commandLine().getOut());
        return 0;
      }
    }
  }

  @Command(
      name = "set",
      description = "Changes the rules that are given, from now on; the others stay.")
  static final class Set implements Callable<Integer> {
    @Mixin private KafkaOptions kafka = new KafkaOptions();
    @Mixin private RulesOptions given = new RulesOptions();
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws Exception {
      if (given.none()) {
        throw new ParameterException(spec.commandLine(), "give at least one rule to change");
      }
      given.refuseFixed();
      try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
        admin.awaitBroker(KafkaOptions.PATIENCE);
        Rules changed = given.applyTo(admin.rulesOf());
        admin.setRules(changed);
        print(changed, spec.commandLine().getOut());
        return 0;
      }
    }
  }

  /** One rule a line, by the name of its option. */
  private static void print(Rules rules, PrintWriter out) throws ReflectiveOperationException {
    for (RecordComponent c : Rules.class.getRecordComponents()) {
      String name = c.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      out.println(name + " " + c.getAccessor().invoke(rules));
    }
    out.flush();
  }

  /** An option a rule that may change; absent: stays. */
  static final class RulesOptions {
    @Option(names = "--max-backlog", description = "Most messages a resume replays.")
    private @Nullable Integer maxBacklog;

    @Option(names = "--resume-ttl-ms", description = "Oldest missed message a resume replays.")
    private @Nullable Long resumeTtlMs;

    @Option(names = "--mailbox-messages", description = "Messages kept a user.")
    private @Nullable Integer mailboxMessages;

    @Option(names = "--mailbox-age-ms", description = "How long a message is kept.")
    private @Nullable Long mailboxAgeMs;

    @Option(names = "--window", description = "Most unacknowledged messages to one client.")
    private @Nullable Integer window;

    @Option(names = "--window-bytes", description = "Most bytes of them.")
    private @Nullable Integer windowBytes;

    @Option(names = "--window-start", description = "The window of a new connection.")
    private @Nullable Integer windowStart;

    @Option(names = "--dedup-window-ms", description = "How long a repeated send is known.")
    private @Nullable Long dedupWindowMs;

    @Option(names = "--clients-per-user", description = "Clients whose cursors are kept.")
    private @Nullable Integer clientsPerUser;

    @Option(names = "--leave-delay-ms", description = "From a disconnect to offline.")
    private @Nullable Long leaveDelayMs;

    @Option(names = "--roster-interval-ms", description = "Between an edge's reports of life.")
    private @Nullable Long rosterIntervalMs;

    @Option(names = "--mailbox-idle-ms", description = "When an empty mailbox is forgotten.")
    private @Nullable Long mailboxIdleMs;

    @Option(names = "--partitions", hidden = true, arity = "0..1", fallbackValue = "0")
    private @Nullable Integer partitions;

    void refuseFixed() {
      if (partitions != null) {
        throw new IllegalArgumentException(
            "--partitions cannot be changed: the number of partitions of holdfast.events is fixed"
                + " for life, by `topics init --partitions` before the first message");
      }
    }

    boolean none() {
      return java.util.stream.Stream.of(
              partitions,
              maxBacklog,
              resumeTtlMs,
              mailboxMessages,
              mailboxAgeMs,
              window,
              windowBytes,
              windowStart,
              dedupWindowMs,
              clientsPerUser,
              leaveDelayMs,
              rosterIntervalMs,
              mailboxIdleMs)
          .allMatch(java.util.Objects::isNull);
    }

    Rules applyTo(Rules r) {
      return new Rules(
          r.version(),
          r.partitions(),
          or(maxBacklog, r.maxBacklog()),
          or(resumeTtlMs, r.resumeTtlMs()),
          or(mailboxMessages, r.mailboxMessages()),
          or(mailboxAgeMs, r.mailboxAgeMs()),
          or(window, r.window()),
          or(windowBytes, r.windowBytes()),
          or(windowStart, r.windowStart()),
          or(dedupWindowMs, r.dedupWindowMs()),
          or(clientsPerUser, r.clientsPerUser()),
          or(leaveDelayMs, r.leaveDelayMs()),
          or(rosterIntervalMs, r.rosterIntervalMs()),
          or(mailboxIdleMs, r.mailboxIdleMs()));
    }

    private static int or(@Nullable Integer given, int kept) {
      return given == null ? kept : given;
    }

    private static long or(@Nullable Long given, long kept) {
      return given == null ? kept : given;
    }
  }
}
