package dev.holdfast.edge.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.record.ConnDigest;
import dev.holdfast.record.EdgeRef;
import dev.holdfast.record.Event;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RostersTest {
  private static final EdgeRef EDGE = new EdgeRef("e", "i1", 0);
  private static final EdgeRef NEXT = new EdgeRef("e", "i2", 0);

  private final Rosters rosters = new Rosters();

  @Test
  void everyFiveSecondsForPartitionsWithConnections() {
    rosters.connected(2, EDGE, "u", "c", "x", 0);
    assertThat(rosters.due(4_999)).isEmpty();
    Rosters.Due due = only(rosters.due(5_000));
    assertThat(due.partition()).isEqualTo(2);
    assertThat(due.roster()).isEqualTo(new Event.Roster(EDGE, 1, ConnDigest.of("x"), null));
    due.finished(true);
    assertThat(rosters.due(9_999)).isEmpty();
    assertThat(rosters.due(10_000)).hasSize(1);
  }

  @Test
  void noneWhileOneIsUnderWay() {
    rosters.connected(0, EDGE, "u", "c", "x", 0);
    Rosters.Due due = only(rosters.due(5_000));
    assertThat(rosters.due(60_000)).isEmpty();
    due.finished(false);
    assertThat(rosters.due(60_000)).hasSize(1);
  }

  @Test
  void untilOneEmptyRosterIsStored() {
    rosters.connected(0, EDGE, "u", "c", "x", 0);
    rosters.gone(0, EDGE, "x");
    Rosters.Due lost = only(rosters.due(5_000));
    assertThat(lost.roster()).isEqualTo(new Event.Roster(EDGE, 0, 0, null));
    lost.finished(false);
    only(rosters.due(10_000)).finished(true);
    assertThat(rosters.due(60_000)).isEmpty();
  }

  @Test
  void aConnectionMadeWhileTheEmptyOneWasUnderWayIsKept() {
    rosters.connected(0, EDGE, "u", "c", "x", 0);
    rosters.gone(0, EDGE, "x");
    Rosters.Due empty = only(rosters.due(5_000));
    rosters.connected(0, EDGE, "u", "c", "y", 5_001);
    empty.finished(true);
    assertThat(only(rosters.due(10_000)).roster().count()).isEqualTo(1);
  }

  @Test
  void aListAtOnceWhenAskedForButNotMoreThanOnceASecond() {
    rosters.connected(0, EDGE, "u", "c", "x", 0);
    rosters.wanted(0, EDGE, 100);
    Rosters.Due due = only(rosters.due(100));
    assertThat(due.roster().connections()).containsExactly(new Event.Roster.Entry("u", "c", "x"));
    due.finished(true);
    rosters.wanted(0, EDGE, 200);
    assertThat(rosters.due(1_099)).isEmpty();
    assertThat(only(rosters.due(1_100)).roster().connections()).isNotNull();
  }

  @Test
  void anEmptyListForAPartitionWithoutConnections() {
    rosters.wanted(4, EDGE, 0);
    Rosters.Due due = only(rosters.due(0));
    assertThat(due.roster().connections()).isEmpty();
    due.finished(true);
    assertThat(rosters.due(60_000)).isEmpty();
  }

  @Test
  void incarnationsAreKeptApart() {
    rosters.connected(0, EDGE, "u", "c", "x", 0);
    rosters.connected(0, NEXT, "u", "c", "y", 0);
    assertThat(rosters.due(5_000))
        .extracting(Rosters.Due::roster)
        .containsExactlyInAnyOrder(
            new Event.Roster(EDGE, 1, ConnDigest.of("x"), null),
            new Event.Roster(NEXT, 1, ConnDigest.of("y"), null));
  }

  /** Steps: even numbers connect, odd ones disconnect, of ten connections; also repeatedly. */
  @Property
  void theDigestIsThatOfThePlainSet(
      @ForAll @Size(max = 100) List<@IntRange(max = 19) Integer> steps) {
    Rosters each = new Rosters();
    Set<String> model = new TreeSet<>();
    each.connected(0, EDGE, "u", "c", "first", 0);
    model.add("first");
    long now = 0;
    for (int step : steps) {
      String connId = "c" + step / 2;
      if (step % 2 == 0) {
        each.connected(0, EDGE, "u", "c", connId, now);
        model.add(connId);
      } else {
        each.gone(0, EDGE, connId);
        model.remove(connId);
      }
      now += 5_000;
      Rosters.Due due = only(each.due(now));
      due.finished(true);
      long digest = model.stream().mapToLong(ConnDigest::of).reduce(0, (a, b) -> a ^ b);
      assertThat(due.roster()).isEqualTo(new Event.Roster(EDGE, model.size(), digest, null));
    }
  }

  private static Rosters.Due only(List<Rosters.Due> due) {
    assertThat(due).hasSize(1);
    return due.get(0);
  }
}
