package dev.holdfast.standalone.broker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Keeps two processes from one data directory. The operating system drops the lock when the process
 * dies, however it dies, so a file that stays behind means nothing.
 */
public final class DataLock implements AutoCloseable {
  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Locks {@code dir}, which is made when it does not exist.
   *
   * @param what the program that takes it, like {@code holdfast dev}, for the refusal
   */
  public static DataLock take(Path dir, String what) {
    return take(dir, what, "--data");
  }

  /**
   * Locks {@code dir}, which is made when it does not exist.
   *
   * @param what the program that takes it
   * @param option that named the directory
   */
  public static DataLock take(Path dir, String what, String option) {
    try {
      Files.createDirectories(dir);
      FileChannel channel =
          FileChannel.open(
              dir.resolve("holdfast.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (tryLock(channel) == null) {
        channel.close();
        throw new BrokerFailed(
            "another " + what + " runs on " + dir + "; stop it, or give another " + option);
      }
      return new DataLock(channel);
    } catch (IOException e) {
      throw new BrokerFailed(
          "cannot keep data in "
              + dir
              + ": "
              + reason(e)
              + "; mend that, or give another "
              + option,
          e);
    }
  }

  private static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "it is not writable";
    }
    if (e instanceof FileAlreadyExistsException exists) {
      return exists.getFile() + " is a file, not a directory";
    }
    return e instanceof FileSystemException broken && broken.getReason() != null
        ? broken.getFile() + ": " + broken.getReason()
        : e.toString();
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null; // held by this very process
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new BrokerFailed("cannot release the lock of the data directory", e);
    }
  }
}
