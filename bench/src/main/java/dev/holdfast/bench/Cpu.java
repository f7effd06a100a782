package dev.holdfast.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** CPU that processes use, in cores, between two looks. */
final class Cpu {
  /** Clock ticks a second in /proc, as on every Linux that Java runs on. */
  private static final double TICKS = 100;

  private static final int USER = 11;
  private static final int SYSTEM = 12;

  private final Map<String, DoubleSupplier> parts = new LinkedHashMap<>();
  private final Map<String, Double> before = new LinkedHashMap<>();
  private long sinceNanos = System.nanoTime();

  /** Watches a process. */
  Cpu process(String name, long pid) {
    return part(name, () -> seconds(pid, USER) + seconds(pid, SYSTEM));
  }

  /** Watches what the kernel does for a process. */
  Cpu kernel(String name, long pid) {
    return part(name, () -> seconds(pid, SYSTEM));
  }

  /** Watches a part that counts for itself, in seconds. */
  Cpu part(String name, DoubleSupplier seconds) {
    parts.put(name, seconds);
    return this;
  }

  /** Begins anew. */
  void reset() {
    sinceNanos = System.nanoTime();
    parts.forEach((name, seconds) -> before.put(name, seconds.getAsDouble()));
  }

  /** {@code name cores name cores …} since {@link #reset}. */
  String text() {
    double seconds = (System.nanoTime() - sinceNanos) / 1e9;
    StringBuilder text = new StringBuilder();
    parts.forEach(
        (name, used) ->
            text.append(
                String.format(
                    Locale.ROOT,
                    " %s %.2f",
                    name,
                    (used.getAsDouble() - before.getOrDefault(name, 0.0)) / seconds)));
    return text.toString().strip();
  }

  private static double seconds(long pid, int field) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Long.parseLong(fields[field]) / TICKS;
    } catch (IOException e) {
      throw new UncheckedIOException("no CPU time of process " + pid, e);
    }
  }
}
