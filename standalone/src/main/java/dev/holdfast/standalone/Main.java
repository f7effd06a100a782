package dev.holdfast.standalone;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line's entry. */
@Command(
    name = "holdfast",
    description = "Delivers messages to people whose connections break.",
    subcommands = {
      DevCommand.class,
      BrokerCommand.class,
      TopicsCommand.class,
      RulesCommand.class,
      StreamsCommand.class,
      EdgeCommand.class,
      KickCommand.class,
      ReplayCommand.class,
      RebuildCommand.class,
      KafkaCommand.class
    })
public final class Main implements Runnable {
  private static final String PASSED_ON = "--kafka.";

  @Spec private CommandSpec spec = CommandSpec.create();

  private Main() {}

  public static void main(String[] args) {
    LogFormat.choose(args, System.getenv());
    // Kafka brings Log4j's API without an implementation, which complains on its own channel.
    System.setProperty("log4j2.StatusLogger.level", "OFF");
    // Undertow and XNIO would otherwise log through that API, past the configuration.
    System.setProperty("org.jboss.logging.provider", "slf4j");
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(args, System.getenv(), out, err));
  }

  /** Runs one command and returns its status: 0 done, 1 failed, 2 the command line is wrong. */
  static int run(String[] args, Map<String, String> env, PrintWriter out, PrintWriter err) {
    CommandLine command = commandLine(env).setOut(out).setErr(err);
    try {
      EnvironmentCheck.levels(env);
    } catch (IllegalArgumentException e) {
      err.println("holdfast: " + e.getMessage());
      err.flush();
      return CommandLine.ExitCode.USAGE;
    }
    EnvironmentCheck.warnOfUnknown(env, command);
    return command.execute(expand(args));
  }

  static CommandLine commandLine(Map<String, String> env) {
    CommandLine command = new CommandLine(new Main());
    dress(command, env);
    command
        .setDefaultValueProvider(new EnvironmentDefaults(env))
        .setParameterExceptionHandler(new UsageErrors())
        .setExecutionExceptionHandler(new Failures())
        .setUsageHelpAutoWidth(true);
    return command;
  }

  /** What annotations would have to repeat on every command. */
  private static void dress(CommandLine command, Map<String, String> env) {
    CommandSpec spec = command.getCommandSpec();
    spec.addMixin("common", CommandSpec.forAnnotatedObject(new CommonOptions()));
    spec.versionProvider(new Version());
    spec.usageMessage()
        .sortOptions(false)
        .footer("%nAn option can also be set by the variable in brackets; the command line wins.");
    // Everything from a tool's name on belongs to the tool, --help too.
    command.setStopAtPositional(command.getCommand() instanceof KafkaCommand);
    EnvironmentDefaults.describe(spec);
    for (CommandSpec mixin : spec.mixins().values()) {
      if (mixin.userObject() instanceof KafkaOptions kafka) {
        kafka.environment(env);
      }
    }
    command.getSubcommands().values().forEach(sub -> dress(sub, env));
  }

  /** Writes {@code --kafka.KEY=VALUE} as {@code --kafka KEY=VALUE}, which picocli understands. */
  static String[] expand(String[] args) {
    List<String> expanded = new ArrayList<>();
    boolean toolArguments = args.length > 0 && args[0].equals("kafka");
    for (String arg : args) {
      if (arg.startsWith(PASSED_ON) && !toolArguments) {
        expanded.add("--kafka");
        expanded.add(arg.substring(PASSED_ON.length()));
      } else {
        expanded.add(arg);
      }
    }
    return expanded.toArray(String[]::new);
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "name a command: " + String.join(", ", spec.subcommands().keySet()));
  }
}
