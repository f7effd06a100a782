package dev.holdfast.delivery.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.delivery.state.KeyNames;
import dev.holdfast.delivery.state.Keys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two real RocksDBs, row by row. */
class RowDifferencesTest {
  private static final byte[] ONE = {1};
  private static final byte[] TWO = {2};

  private final RocksRows rebuilt;
  private final RocksRows running;
  private final RowDifferences differences;

  RowDifferencesTest(@TempDir Path dir) {
    rebuilt = new RocksRows(dir.resolve("rebuilt"));
    running = new RocksRows(dir.resolve("running"));
    differences = new RowDifferences(rebuilt, running);
    for (RocksRows rows : List.of(rebuilt, running)) {
      rows.put(Keys.partition(), ONE);
      rows.put(Keys.mailbox("ann"), ONE);
      rows.put(Keys.message("ann", 1), ONE);
      rows.put(Keys.message("bob", 300), ONE);
    }
  }

  @AfterEach
  void close() {
    rebuilt.close();
    running.close();
  }

  private List<String> told() {
    List<String> told = new ArrayList<>();
    differences.tell(10, (row, how) -> told.add(row + " " + how));
    return told;
  }

  @Test
  void theSameRowsAgree() {
    differences.compareAll();

    assertThat(differences.count()).isZero();
    assertThat(differences.rows()).isEqualTo(4);
    assertThat(told()).isEmpty();
  }

  @Test
  void everyKindIsFoundAndNamed() {
    running.put(Keys.mailbox("ann"), TWO);
    running.delete(Keys.message("ann", 1));
    running.put(Keys.message("bob", 301), ONE);

    differences.compareAll();

    assertThat(differences.count()).isEqualTo(3);
    assertThat(differences.rows()).isEqualTo(5);
    assertThat(told())
        .containsExactly(
            "message 1 of ann is missing in the application",
            "mailbox of ann is another in the application",
            "message 301 of bob is in the application only");
  }

  @Test
  void aLastRowTooManyIsFound() {
    rebuilt.put(Keys.message("zoe", 1), ONE);
    differences.compareAll();
    assertThat(told()).containsExactly("message 1 of zoe is missing in the application");
  }

  @Test
  void aStepCanMendAndBreak() {
    running.put(Keys.mailbox("ann"), TWO);
    differences.compareAll();

    rebuilt.put(Keys.mailbox("ann"), TWO);
    differences.compareAgain(List.of(Keys.mailbox("ann"), Keys.mailbox("ann")));
    assertThat(differences.count()).isZero();

    rebuilt.put(Keys.message("bob", 301), ONE);
    rebuilt.delete(Keys.message("ann", 1));
    differences.compareAgain(List.of(Keys.message("bob", 301), Keys.message("ann", 1)));
    assertThat(differences.count()).isEqualTo(2);
    assertThat(told())
        .containsExactly(
            "message 1 of ann is in the application only",
            "message 301 of bob is missing in the application");
  }

  @Test
  void howLongAnApplicationIsQuietIsNoDifference() {
    running.put(Keys.quiet(), ONE);
    differences.compareAll();
    assertThat(differences.count()).isZero();
    differences.compareAgain(List.of(Keys.quiet()));
    assertThat(differences.count()).isZero();
  }

  @Test
  void soManyAreKeptAndTheOthersCounted() {
    for (int seq = 1; seq <= RowDifferences.MOST + 5; seq++) {
      running.put(Keys.message("cat", seq), ONE);
    }
    differences.compareAll();
    assertThat(differences.count()).isEqualTo(RowDifferences.MOST + 5);
    assertThat(differences.complete()).isFalse();
  }

  @Test
  void rowsAreScannedInTheOrderOfTheirBytesUpToTheEnd() {
    List<String> seen = new ArrayList<>();
    rebuilt.put(Keys.message("bob", 5), TWO);
    rebuilt.scan(
        Keys.message("bob", 0),
        Keys.message("bob", 300),
        (key, value) -> seen.add(KeyNames.of(key)));
    assertThat(seen).containsExactly("message 5 of bob");
    assertThat(rebuilt.get(Keys.message("bob", 5))).isEqualTo(TWO);
    rebuilt.delete(Keys.message("bob", 5));
    assertThat(rebuilt.get(Keys.message("bob", 5))).isNull();
  }

  @Test
  void everyKindOfKeyHasAName() {
    assertThat(KeyNames.of(Keys.partition())).startsWith("the partition's own row");
    assertThat(KeyNames.of(Keys.logId())).contains("which log");
    assertThat(KeyNames.of(Keys.quiet())).contains("quiet");
    assertThat(KeyNames.of(Keys.lease("e/i"))).isEqualTo("lease of edge e/i");
    assertThat(KeyNames.of(Keys.connection("e/i", "ann", "phone")))
        .isEqualTo("connection e/i / ann / phone");
    assertThat(KeyNames.of(Keys.leaving(7, "ann"))).isEqualTo("leave of ann");
    assertThat(KeyNames.of(Keys.leavingSentinel())).isEqualTo("leave of ");
    assertThat(KeyNames.of(Keys.identity("ann", ONE)))
        .isEqualTo("identity 01 in the mailbox of ann");
    assertThat(KeyNames.of("zz".getBytes(StandardCharsets.US_ASCII))).isEqualTo("7a7a");
    assertThat(KeyNames.of(new byte[0])).isEmpty();
    assertThat(KeyNames.of(new byte[] {'a', 0, 'm', 1})).isEqualTo("61006d01");
  }
}
