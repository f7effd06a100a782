package dev.holdfast.client.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that one process uses at a time. All values are in memory; each change is one line
 * appended to {@code journal} and forced to the disk, with a checksum, so that the death of the
 * process or the machine leaves a change whole or not at all. When the journal has become much
 * longer than what it says, it is written anew beside and renamed over the old one.
 *
 * <p>Safe for several threads; all work is done on a daemon thread of its own. {@link #close} lets
 * another process have the directory; so does the end of this one, however it ends.
 */
public final class FileStore implements Store, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileStore.class);
  private static final long COMPACT_BYTES = 1 << 20;

  private final Path dir;
  private final long compactBytes;
  private long compactAt;
  private final FileChannel lockFile;
  private final Folder folder;
  private final ThreadPoolExecutor writer;
  private final TreeMap<String, String> values = new TreeMap<>();
  private @Nullable FileChannel journal;
  private long goodBytes;
  private long liveBytes;
  private boolean renamed;

  private FileStore(Path dir, long compactBytes, FileChannel lockFile, Folder folder) {
    this.dir = dir;
    this.folder = folder;
    this.compactBytes = compactBytes;
    this.compactAt = compactBytes;
    this.lockFile = lockFile;
    this.writer =
        new ThreadPoolExecutor(
            1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), FileStore::daemon);
    writer.allowCoreThreadTimeOut(true);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "holdfast-store");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Opens a directory, makes it where there is none, and reads what it has.
   *
   * @throws UncheckedIOException when the directory cannot be used
   * @throws IllegalStateException when another process, or another store of this one, uses it
   */
  public static FileStore open(Path dir) {
    return open(dir, COMPACT_BYTES, Folder::force);
  }

  /** As {@link #open(Path)}; the journal is written anew beyond {@code compactBytes}. */
  static FileStore open(Path dir, long compactBytes, Folder folder) {
    try {
      Files.createDirectories(dir);
      FileChannel lockFile =
          FileChannel.open(
              dir.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (!locks(lockFile)) {
        lockFile.close();
        throw new IllegalStateException(
            dir + " is used by another process or client; give each a directory of its own");
      }
      FileStore store = new FileStore(dir, compactBytes, lockFile, folder.orNone(dir));
      try {
        store.replay();
      } catch (IOException | RuntimeException e) {
        store.close(); // or nobody in this process could try again
        throw e;
      }
      return store;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot use " + dir + ": " + e.getMessage(), e);
    }
  }

  private static boolean locks(FileChannel file) throws IOException {
    try {
      return file.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // this process has it
    }
  }

  /** What stands behind the first damaged line was never told to be stored, and is cut off. */
  private synchronized void replay() throws IOException {
    Path path = dir.resolve("journal");
    FileChannel opened =
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    journal = opened;
    byte[] bytes = Files.readAllBytes(path);
    int good = 0;
    for (int end = Journal.lineEnd(bytes, 0); end >= 0; end = Journal.lineEnd(bytes, good)) {
      if (!Journal.apply(Arrays.copyOfRange(bytes, good, end), values)) {
        break;
      }
      good = end + 1;
    }
    opened.truncate(good);
    goodBytes = good;
    values.forEach((key, value) -> liveBytes += key.length() + value.length());
  }

  @Override
  @SuppressWarnings("NullAway") // it does not infer that a stage's value may be null
  public CompletionStage<@Nullable String> get(String key) {
    return later(() -> values.get(key));
  }

  @Override
  public CompletionStage<List<String>> keys(String prefix) {
    return later(
        () ->
            values.tailMap(prefix).keySet().stream()
                .takeWhile(key -> key.startsWith(prefix))
                .toList());
  }

  @Override
  public CompletionStage<Void> set(Map<String, String> all) {
    Map<String, String> copy = Map.copyOf(all);
    return later(() -> change(copy, List.of()));
  }

  @Override
  public CompletionStage<Void> delete(Collection<String> keys) {
    List<String> copy = List.copyOf(keys);
    return later(() -> change(Map.of(), copy));
  }

  private interface Work<T extends @Nullable Object> {
    T run() throws IOException;
  }

  private <T extends @Nullable Object> CompletionStage<T> later(Work<T> work) {
    CompletableFuture<T> done = new CompletableFuture<>();
    writer.execute(() -> run(work, done));
    return done;
  }

  private synchronized <T extends @Nullable Object> void run(
      Work<T> work, CompletableFuture<T> done) {
    try {
      done.complete(work.run());
    } catch (IOException | RuntimeException e) {
      done.completeExceptionally(e);
    }
  }

  @SuppressWarnings("NullAway") // Void has no other value
  private Void change(Map<String, String> set, Collection<String> deleted) throws IOException {
    List<String> gone = new ArrayList<>(deleted);
    gone.removeIf(key -> !values.containsKey(key));
    if (!set.isEmpty() || !gone.isEmpty()) {
      append(Journal.line(set, gone));
      gone.forEach(this::forget);
      set.forEach(this::remember);
      if (goodBytes > compactAt && goodBytes > 4 * liveBytes) {
        compact();
      }
    }
    return null;
  }

  private void remember(String key, String value) {
    forget(key);
    values.put(key, value);
    liveBytes += key.length() + value.length();
  }

  private void forget(String key) {
    String old = values.remove(key);
    if (old != null) {
      liveBytes -= key.length() + old.length();
    }
  }

  /** Written whole and forced, or taken back: half a line must not stand before the next one. */
  private void append(byte[] line) throws IOException {
    FileChannel file = open();
    if (renamed) {
      forceFolder();
    }
    file.truncate(goodBytes);
    file.position(goodBytes);
    Journal.writeAll(file, line);
    file.force(false);
    goodBytes += line.length;
  }

  private FileChannel open() throws IOException {
    FileChannel file = journal;
    if (file == null) {
      throw new IOException("the store in " + dir + " is closed");
    }
    return file;
  }

  /**
   * The change is stored already, so a failure here is not one of the change: it is logged, nothing
   * of it is left, and it is tried again when the journal has doubled.
   */
  private void compact() {
    try {
      replace();
      compactAt = compactBytes;
    } catch (IOException e) {
      compactAt = 2 * goodBytes;
      LOG.warn(
          "the journal in {} stays at {} bytes, it cannot be written anew; is the disk full?",
          dir,
          goodBytes,
          e);
    }
  }

  private void replace() throws IOException {
    byte[] line = Journal.line(values, List.of());
    FileChannel next = Journal.rewrite(dir, line);
    FileChannel old = open();
    journal = next; // from here on the old one is no file of the directory
    goodBytes = line.length;
    renamed = true;
    old.close();
    forceFolder();
  }

  /**
   * Before it the machine's death could bring the old journal back: nothing is written until then.
   */
  private void forceFolder() throws IOException {
    folder.sync(dir);
    renamed = false;
  }

  /** Lets the directory go; what is asked later fails. Calling it again does nothing. */
  @Override
  public void close() {
    writer.shutdown();
    release();
  }

  private synchronized void release() {
    try {
      FileChannel file = journal;
      journal = null;
      if (file != null) {
        file.close();
      }
      lockFile.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close " + dir, e);
    }
  }
}
