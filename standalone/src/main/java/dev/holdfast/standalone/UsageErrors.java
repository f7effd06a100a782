package dev.holdfast.standalone;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Says in one sentence what is wrong with a command line, and names what was likely meant. What is
 * behind a line break, such as a list, stays behind it.
 */
final class UsageErrors implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    String[] sentence = sentence(e, command).split("\n", 2);
    err.println(name + ": " + sentence[0] + " (" + name + " --help lists what it takes)");
    if (sentence.length > 1) {
      err.println(sentence[1]);
    }
    err.flush();
    return CommandLine.ExitCode.USAGE;
  }

  private static String sentence(ParameterException e, CommandLine command) {
    if (!(e instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()) {
      String message = String.valueOf(e.getMessage());
      return Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }
    String typed = unmatched.getUnmatched().get(0);
    if (typed.startsWith("-")) {
      String option = typed.replaceFirst("=.*", "");
      return "unknown option " + option + hint(option, options(command));
    }
    List<String> names = List.copyOf(command.getSubcommands().keySet());
    return names.isEmpty()
        ? "unexpected argument " + typed
        : "unknown command " + typed + hint(typed, names);
  }

  /** The name that was likely meant, as the end of a sentence; empty when none is near. */
  static String hint(String typed, Collection<String> names) {
    return Nearest.to(typed, names).map(near -> "; did you mean " + near + "?").orElse("");
  }

  private static List<String> options(CommandLine command) {
    List<String> names = new ArrayList<>();
    command.getCommandSpec().options().forEach(o -> names.addAll(List.of(o.names())));
    return names;
  }
}
