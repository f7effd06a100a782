package dev.holdfast.standalone;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.standalone.broker.BrokerFailed;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Tells an operator in one sentence why a command failed; a stack trace only when asked for. */
final class Failures implements IExecutionExceptionHandler {
  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + sentence(e));
    if (verbose(command)) {
      e.printStackTrace(err);
    }
    err.flush();
    return e instanceof IllegalArgumentException
        ? CommandLine.ExitCode.USAGE
        : CommandLine.ExitCode.SOFTWARE;
  }

  static String sentence(Throwable e) {
    if (e instanceof CommandFailed
        || e instanceof BrokerFailed
        || e instanceof StartRefused
        || e instanceof IllegalArgumentException) {
      return String.valueOf(e.getMessage());
    }
    Optional<String> disk = DiskTrouble.in(e);
    if (disk.isPresent()) {
      return disk.get();
    }
    Throwable cause = e.getCause();
    if ((e instanceof ExecutionException || e instanceof CompletionException) && cause != null) {
      return sentence(cause);
    }
    if (e instanceof TimeoutException
        || e instanceof org.apache.kafka.common.errors.TimeoutException) {
      return "no answer in time: " + e.getMessage() + "; is the broker at --bootstrap running?";
    }
    if (e instanceof KafkaException) {
      return "Kafka refused: "
          + e.getMessage()
          + (cause == null ? "" : " (" + cause.getMessage() + ")");
    }
    String what = e instanceof IllegalStateException ? e.getMessage() : e.toString();
    return what + "; --verbose shows where";
  }

  static boolean verbose(CommandLine command) {
    OptionSpec option = command.getCommandSpec().findOption("--verbose");
    return option != null && Boolean.TRUE.equals(option.getValue());
  }
}
