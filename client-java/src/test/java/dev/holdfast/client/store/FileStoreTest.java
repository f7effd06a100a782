package dev.holdfast.client.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest {
  @TempDir Path dir;

  private static <T extends @Nullable Object> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  private static Map<String, String> all(Store store) throws Exception {
    Map<String, String> values = new TreeMap<>();
    for (String key : get(store.keys(""))) {
      values.put(key, String.valueOf(get(store.get(key))));
    }
    return values;
  }

  @Test
  @DisplayName("R-5.2 what was set is there for the next process; prefixes are sorted")
  void keeps() throws Exception {
    try (FileStore store = FileStore.open(dir)) {
      get(store.set(Map.of("a/2", "two\n", "a/1", "ünö", "b", "")));
      get(store.delete(List.of("b", "nothing")));
    }
    try (FileStore store = FileStore.open(dir)) {
      assertThat(get(store.keys("a/"))).containsExactly("a/1", "a/2");
      assertThat(all(store)).isEqualTo(Map.of("a/2", "two\n", "a/1", "ünö"));
      assertThat(get(store.get("b"))).isNull();
    }
  }

  @Test
  @DisplayName("one at a time")
  void locked() throws Exception {
    try (FileStore store = FileStore.open(dir)) {
      assertThatThrownBy(() -> FileStore.open(dir))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("used by another");
      get(store.set(Map.of("a", "1")));
    }
    FileStore.open(dir).close();
  }

  @Test
  @DisplayName("cut off anywhere, the journal gives each change whole or not at all")
  void torn() throws Exception {
    try (FileStore store = FileStore.open(dir)) {
      get(store.set(Map.of("a", "1", "b", "1")));
      get(store.set(Map.of("a", "2", "b", "2")));
      get(store.delete(List.of("a")));
    }
    byte[] journal = Files.readAllBytes(dir.resolve("journal"));
    List<Map<String, String>> states =
        List.of(Map.of(), Map.of("a", "1", "b", "1"), Map.of("a", "2", "b", "2"), Map.of("b", "2"));
    int seen = 0;
    for (int length = 0; length <= journal.length; length++) {
      Files.write(dir.resolve("journal"), Arrays.copyOf(journal, length));
      try (FileStore store = FileStore.open(dir)) {
        Map<String, String> now = all(store);
        assertThat(states).contains(now);
        assertThat(states.indexOf(now)).isGreaterThanOrEqualTo(seen);
        seen = states.indexOf(now);
        get(store.set(Map.of("c", "3")));
      }
      try (FileStore store = FileStore.open(dir)) {
        assertThat(get(store.get("c"))).isEqualTo("3");
      }
    }
    assertThat(seen).isEqualTo(3);
  }

  @Test
  @DisplayName("a damaged byte ends the journal there, and is not believed")
  void damaged() throws Exception {
    try (FileStore store = FileStore.open(dir)) {
      get(store.set(Map.of("a", "1")));
      get(store.set(Map.of("a", "2")));
    }
    byte[] journal = Files.readAllBytes(dir.resolve("journal"));
    journal[journal.length - 8] ^= 1;
    Files.write(dir.resolve("journal"), journal);
    try (FileStore store = FileStore.open(dir)) {
      assertThat(all(store)).isEqualTo(Map.of("a", "1"));
    }
  }

  @Test
  @DisplayName("it stays small, and says the same, over thousands of changes")
  void compacts() throws Exception {
    Map<String, String> model = new HashMap<>();
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 3; round++) {
      try (FileStore store = FileStore.open(dir, 2_000, Folder::force)) {
        for (int i = 0; i < 300; i++) {
          String key = "k" + random.nextInt(10);
          if (random.nextInt(3) == 0) {
            model.remove(key);
            get(store.delete(List.of(key)));
          } else {
            model.put(key, "v" + i);
            get(store.set(Map.of(key, "v" + i)));
          }
        }
        assertThat(Files.size(dir.resolve("journal"))).isLessThan(2_500);
        assertThat(all(store)).isEqualTo(model);
      }
      try (FileStore store = FileStore.open(dir)) {
        assertThat(all(store)).isEqualTo(model);
      }
    }
  }

  private static List<String> openFiles() throws IOException {
    List<String> open = new ArrayList<>();
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path file : all.toList()) {
        if (Files.isSymbolicLink(file)) {
          open.add(Files.readSymbolicLink(file).toString());
        }
      }
    }
    return open;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @DisplayName("a journal that cannot be written anew costs no change, no file and no handle")
  void cannotCompact() throws Exception {
    try (FileStore store = FileStore.open(dir, 200, Folder::force)) {
      Files.delete(dir.resolve("journal"));
      Files.createDirectories(dir.resolve("journal").resolve("in the way"));
      for (int i = 0; i < 100; i++) {
        get(store.set(Map.of("k", "v" + i)));
      }
      assertThat(get(store.get("k"))).isEqualTo("v99");
      assertThat(openFiles()).noneMatch(file -> file.contains("journal.new"));
      assertThat(dir.resolve("journal.new")).doesNotExist();

      Files.delete(dir.resolve("journal").resolve("in the way"));
      Files.delete(dir.resolve("journal"));
      for (int i = 0; i < 3_000; i++) {
        get(store.set(Map.of("k", "w" + i)));
      }
    }
    try (FileStore store = FileStore.open(dir)) {
      assertThat(get(store.get("k"))).isEqualTo("w2999");
    }
  }

  @Test
  @DisplayName(
      "where a directory cannot be forced to the disk the journal is written anew all the same")
  void unforced() throws Exception {
    Folder windows =
        folder -> {
          throw new AccessDeniedException(folder.toString());
        };
    try (FileStore store = FileStore.open(dir, 200, windows)) {
      for (int i = 0; i < 100; i++) {
        get(store.set(Map.of("k", "v" + i)));
      }
      assertThat(Files.size(dir.resolve("journal"))).isLessThan(2_000);
    }
    try (FileStore store = FileStore.open(dir)) {
      assertThat(get(store.get("k"))).isEqualTo("v99");
    }
  }

  @Test
  @DisplayName("a directory that fails later holds changes back until it is forced")
  void forcedAgain() throws Exception {
    AtomicBoolean failing = new AtomicBoolean();
    Folder flaky =
        folder -> {
          if (failing.get()) {
            throw new IOException("no disk");
          }
        };
    try (FileStore store = FileStore.open(dir, 200, flaky)) {
      failing.set(true);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  get(store.set(Map.of("k", "v" + i)));
                }
              })
          .hasRootCauseMessage("no disk");
      failing.set(false);
      get(store.set(Map.of("k", "last")));
      assertThat(get(store.get("k"))).isEqualTo("last");
    }
  }

  @Test
  @DisplayName("a directory that could not be read can be tried again")
  void triesAgain() throws Exception {
    Files.createDirectories(dir.resolve("journal").resolve("in the way"));
    assertThatThrownBy(() -> FileStore.open(dir)).isInstanceOf(UncheckedIOException.class);
    Files.delete(dir.resolve("journal").resolve("in the way"));
    Files.delete(dir.resolve("journal"));
    try (FileStore store = FileStore.open(dir)) {
      get(store.set(Map.of("a", "1")));
    }
  }

  @Test
  @DisplayName("after close it says so")
  void closed() throws IOException {
    FileStore store = FileStore.open(dir);
    store.close();
    store.close();
    assertThatThrownBy(() -> get(store.set(Map.of("a", "1")))).isInstanceOf(Exception.class);
  }
}
