package dev.holdfast.standalone;

import java.nio.file.AccessDeniedException;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.streams.errors.LockException;
import org.apache.kafka.streams.errors.StreamsException;

/** Finds the disk's own words in what Kafka Streams and RocksDB wrap around them. */
final class DiskTrouble {
  private static final int DEEPEST_CAUSE = 20;

  private DiskTrouble() {}

  /** A sentence for the operator, when a disk or a directory is the cause of {@code e}. */
  static Optional<String> in(Throwable e) {
    Throwable at = e;
    for (int depth = 0; at != null && depth < DEEPEST_CAUSE; depth++) {
      Optional<String> sentence = sentence(at);
      if (sentence.isPresent()) {
        return sentence;
      }
      at = at.getCause();
    }
    return Optional.empty();
  }

  private static Optional<String> sentence(Throwable e) {
    String said = String.valueOf(e.getMessage());
    String lower = said.toLowerCase(Locale.ROOT);
    if (lower.contains("no space left on device") || lower.contains("disk quota exceeded")) {
      return Optional.of(
          "the disk with --data is full (" + said + "); make room, then start again");
    }
    if (e instanceof AccessDeniedException
        || lower.contains("permission denied")
        || lower.contains("read-only file system")
        || (e instanceof StreamsException && lower.contains("couldn't be created"))) {
      return Optional.of(
          "--data is not writable (" + said + "); mend that, or give another --data");
    }
    if (e instanceof LockException
        || (e instanceof StreamsException
            && (lower.contains("same state directory")
                || lower.contains("lock the state directory")
                || lower.contains("already locked")))) {
      return Optional.of(
          "--data is locked by another process ("
              + said
              + "); stop that, or give each process its own --data");
    }
    return Optional.empty();
  }
}
