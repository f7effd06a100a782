package dev.holdfast.standalone;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** Tells of variables that look like Holdfast's and are not, or say what cannot be. */
final class EnvironmentCheck {
  private static final String PREFIX = EnvironmentDefaults.PREFIX;
  private static final Set<String> LEVELS =
      Set.of("ALL", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");
  private static final List<String> LEVEL_VARIABLES =
      List.of(PREFIX + "LOG_LEVEL", PREFIX + "LIBRARY_LOG_LEVEL");

  /** What the launcher, the compose file and the tests read. */
  private static final List<String> OTHERS =
      List.of(
          PREFIX + "JAVA_OPTS",
          PREFIX + "RECORD_CLASSES",
          PREFIX + "BASE_IMAGE",
          PREFIX + "REPLICA_1",
          PREFIX + "REPLICA_2",
          PREFIX + "DOCKER_REQUIRED");

  /** Kubernetes tells every pod of a service "holdfast-…" by variables of its own making. */
  private static final Pattern KUBERNETES =
      Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.*)?)?)");

  private EnvironmentCheck() {}

  /**
   * Before anything is logged.
   *
   * @throws IllegalArgumentException for a level that the log does not know and would take for
   *     DEBUG
   */
  static void levels(Map<String, String> environment) {
    for (String variable : LEVEL_VARIABLES) {
      String level = environment.getOrDefault(variable, "INFO");
      if (!level.isEmpty() && !LEVELS.contains(level.toUpperCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            variable + " must be TRACE, DEBUG, INFO, WARN, ERROR or OFF, not '" + level + "'");
      }
    }
  }

  /** Only a warning for each: other programs may name theirs like this. */
  static void warnOfUnknown(Map<String, String> environment, CommandLine all) {
    unknown(environment, EnvironmentDefaults.variables(all))
        .forEach((name, hint) -> log().warn("nobody reads the variable {}{}", name, hint));
  }

  /** The log is configured by a variable, so not before those were looked at. */
  private static Logger log() {
    return LoggerFactory.getLogger(EnvironmentCheck.class);
  }

  /** The variables that no command knows, each with what was likely meant. */
  static Map<String, String> unknown(Map<String, String> environment, Set<String> options) {
    Set<String> known = new TreeSet<>(options);
    known.addAll(LEVEL_VARIABLES);
    known.addAll(OTHERS);
    Set<String> bare = new TreeSet<>();
    known.forEach(name -> bare.add(name.substring(PREFIX.length())));
    Map<String, String> unknown = new TreeMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX)
              && !name.startsWith(ClientProperties.VARIABLE_PREFIX)
              && !known.contains(name)
              && !isKubernetes(name, value)) {
            unknown.put(
                name,
                Nearest.to(name.substring(PREFIX.length()), bare)
                    .map(near -> "; did you mean " + PREFIX + near + "?")
                    .orElse(""));
          }
        });
    return unknown;
  }

  private static boolean isKubernetes(String name, String value) {
    return KUBERNETES.matcher(name).matches()
        && (!name.endsWith("_PORT") || value.contains("://") || name.contains("_SERVICE_"));
  }
}
