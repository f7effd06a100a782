package dev.holdfast.client.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has the disk know of a rename in a directory. */
interface Folder {
  /** {@code fsync} of the directory, as POSIX has it. */
  static void force(Path dir) throws IOException {
    try (FileChannel folder = FileChannel.open(dir, StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  /** Returns when the directory is on the disk as it is now. */
  void sync(Path dir) throws IOException;

  /**
   * This, or nothing where the directory cannot be forced even now: Windows and some network file
   * systems know no such thing, and a rename there is as durable as they make it.
   */
  default Folder orNone(Path dir) {
    try {
      sync(dir);
      return this;
    } catch (IOException e) {
      Logger log = LoggerFactory.getLogger(FileStore.class);
      log.debug("the directory {} cannot be forced to the disk: {}", dir, e.toString());
      return unforced -> {};
    }
  }
}
