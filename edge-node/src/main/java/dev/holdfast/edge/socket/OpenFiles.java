package dev.holdfast.edge.socket;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many sockets the process may hold. */
final class OpenFiles {
  /** Files that the process needs beside its clients' sockets: jars, Kafka, logs. */
  private static final long RESERVED = 512;

  private static final long LEAST = 64;

  private OpenFiles() {}

  /** What the limit of open files leaves for clients; everything where there is no such limit. */
  static int forSockets() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      long left = unix.getMaxFileDescriptorCount() - RESERVED;
      return (int) Math.min(Integer.MAX_VALUE, Math.max(LEAST, left));
    }
    return Integer.MAX_VALUE;
  }
}
