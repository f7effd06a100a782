package dev.holdfast.standalone;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Each option is also an environment variable: {@code --edge-id} is {@code HOLDFAST_EDGE_ID}. The
 * command line wins; an empty variable counts as none.
 */
final class EnvironmentDefaults implements IDefaultValueProvider {
  /** How the variables begin. */
  static final String PREFIX = "HOLDFAST_";

  private final Map<String, String> environment;

  EnvironmentDefaults(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec arg) {
    if (!(arg instanceof OptionSpec option) || !hasVariable(option)) {
      return null;
    }
    String value = environment.get(variable(option));
    return value == null || value.isEmpty() ? null : value;
  }

  /** Names the variables in the help of {@code command}. */
  static void describe(CommandSpec command) {
    for (OptionSpec option : List.copyOf(command.options())) {
      if (hasVariable(option)) {
        String[] text = option.description().clone();
        text[text.length - 1] += " [" + variable(option) + "]";
        command.remove(option);
        command.addOption(OptionSpec.builder(option).description(text).build());
      }
    }
  }

  private static boolean hasVariable(OptionSpec option) {
    return !option.usageHelp() && !option.versionHelp() && !option.hidden() && isOneText(option);
  }

  /** One value, or several with something between. */
  private static boolean isOneText(OptionSpec option) {
    return !option.isMultiValue() || !option.splitRegex().isEmpty();
  }

  /** The variables of all options of {@code command} and of the commands below it. */
  static Set<String> variables(CommandLine command) {
    Set<String> names = new TreeSet<>();
    command.getCommandSpec().options().stream()
        .filter(EnvironmentDefaults::hasVariable)
        .forEach(option -> names.add(variable(option)));
    command.getSubcommands().values().forEach(sub -> names.addAll(variables(sub)));
    return names;
  }

  private static String variable(OptionSpec option) {
    return PREFIX + option.longestName().substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
