package dev.holdfast.edge.presence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.presence.PresenceRig.Client;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Users whose name ends in an even digit lie on partition 0, the others on 1. */
class PresenceDeskTest {
  private static final long WAIT_MS = PresenceConfig.DEFAULT.presenceWaitMs();

  private final PresenceRig rig = new PresenceRig();
  private final Client client = rig.client();

  private void live(String... users) {
    client.watch(users);
    rig.settle();
    client.heard.clear();
  }

  @Test
  @DisplayName("nothing is told before the end that the partition had is reached")
  void toldAtTheEnd() {
    rig.append("u2", true, 1);
    rig.append("u2", false, 2);
    rig.append("u4", true, 3);
    client.watch("u2", "u4", "u6");
    rig.answer();
    rig.read(2);
    assertThat(client.heard).isEmpty();
    rig.read(1);
    assertThat(client.heard).containsExactlyInAnyOrder("u2 offline", "u4 online", "u6 offline");
    assertThat(client.newest.get("u6")).hasToString("u6 offline since 0 rev -1");
  }

  @Test
  @DisplayName("only partitions that somebody asks about are read, each once for all who wait")
  void readsWhatIsNeeded() {
    client.watch("u2");
    rig.client().watch("u4", "u6");
    assertThat(rig.asked).containsExactly(0);
    rig.settle();
    assertThat(rig.positions.keySet()).containsExactly(0);
  }

  @Test
  @DisplayName("an empty partition is known at once: nobody is there")
  void emptyPartition() {
    client.watch("u2");
    rig.answer();
    assertThat(client.heard).containsExactly("u2 offline");
  }

  @Test
  @DisplayName("each change is told; another device of who is online is none")
  void changes() {
    live("u2");
    rig.append("u2", true, 10, 10, 1);
    rig.append("u2", true, 10, 11, 2);
    rig.append("u2", true, 10, 12, 1);
    rig.append("u4", true, 13);
    rig.append("u2", false, 14);
    rig.settle();
    assertThat(client.heard).containsExactly("u2 online", "u2 offline");
  }

  @Test
  @DisplayName("a topic that is not there is not read; who asks is told nothing until it is again")
  void topicGone() {
    live("u2");
    rig.append("u2", true, 10);
    rig.settle();
    rig.desk.noTopic();
    assertThat(rig.positions).isEmpty();
    rig.pass(WAIT_MS);
    assertThat(rig.asked).as("its end is asked for as ever").containsExactly(0);
    rig.client().watch("u4");
    rig.settle();
    assertThat(rig.positions.keySet()).containsExactly(0);
    rig.append("u2", false, 11);
    rig.settle();
    assertThat(client.heard).containsExactly("u2 online", "u2 offline");
  }

  @Test
  @DisplayName("D15: lower revs, as of a zombie or of the other of a pair, are dropped")
  void lowerRevs() {
    live("u2");
    rig.append("u2", true, 10);
    rig.append("u2", false, 20);
    rig.append("u2", true, 10);
    rig.append("u2", false, 20);
    rig.settle();
    assertThat(client.heard).containsExactly("u2 online", "u2 offline");
    assertThat(rig.counters.older.sum()).isEqualTo(2);
  }

  @Test
  @DisplayName("of one cause's records the one with the fewest clients is the last")
  void oneCauseSeveralRecords() {
    live("u2");
    rig.append("u2", true, 1, 1, 2);
    for (int replica = 0; replica < 2; replica++) {
      rig.append("u2", true, 1, 9, 1);
      rig.append("u2", false, 9, 9, 0);
    }
    rig.settle();
    assertThat(client.heard).containsExactly("u2 online", "u2 offline");
  }

  @Test
  @DisplayName("a deleted record is as if there had been none")
  void tombstone() {
    rig.append("u2", true, 1);
    live("u2");
    rig.delete("u2");
    rig.settle();
    assertThat(client.heard).containsExactly("u2 offline");
    assertThat(client.newest.get("u2")).hasToString("u2 offline since 0 rev -1");
  }

  @Test
  @DisplayName("a watch again is answered again, an ended one never more")
  void againAndNoMore() {
    live("u2");
    client.watch("u2");
    assertThat(client.heard).containsExactly("u2 offline");
    client.unwatch("u2");
    rig.append("u2", true, 1);
    rig.settle();
    assertThat(client.heard).containsExactly("u2 offline");
  }

  @Test
  @DisplayName("who waits for too long is given up, watches and lookups; nobody is called offline")
  void givesUp() {
    rig.reachable = false;
    List<String> answers = new ArrayList<>();
    client.watch("u2", "u3");
    rig.desk.lookup("u4", state -> answers.add(String.valueOf(state)), rig.nowMs);
    for (int s = 0; s < WAIT_MS / 1_000; s++) {
      assertThat(client.heard).isEmpty();
      rig.settle();
      rig.pass(1_000);
    }
    assertThat(client.heard).containsExactlyInAnyOrder("u2 given up", "u3 given up");
    assertThat(answers).containsExactly("null");
    assertThat(rig.counters.gaveUp.sum()).isEqualTo(3);
    assertThat(rig.reserved).isZero();
  }

  @Test
  @DisplayName("what is known counts only while Kafka was heard of lately; then it waits")
  void stale() {
    rig.append("u2", true, 1);
    live("u2");
    rig.reachable = false;
    rig.pass(PresencePartition.FRESH_MS - 1_000);
    rig.settle();
    client.watch("u4");
    assertThat(client.heard).containsExactly("u4 offline");
    rig.pass(2_000);
    rig.settle();
    Client late = rig.client();
    late.watch("u2");
    assertThat(late.heard).isEmpty();
    rig.append("u2", false, 2);
    rig.reachable = true;
    rig.pass(PresencePartitions.ASK_MS);
    rig.settle();
    assertThat(late.heard).containsExactly("u2 offline");
    assertThat(client.heard).containsExactly("u4 offline", "u2 offline");
  }

  @Test
  @DisplayName("ends are asked for while somebody needs them, and then get what is known fresh")
  void staysFresh() {
    live("u2");
    for (int s = 0; s < 60; s++) {
      rig.pass(1_000);
      rig.settle();
    }
    client.watch("u4");
    assertThat(client.heard).containsExactly("u4 offline");
  }

  @Test
  @DisplayName("a lost position: read anew, and told what differs, nothing in between")
  void lostPosition() {
    rig.append("u2", true, 1);
    rig.append("u4", true, 2);
    live("u2", "u4");
    rig.append("u4", false, 3);
    rig.append("u4", true, 4);
    rig.append("u4", false, 5);
    rig.positions.remove(0);
    rig.desk.lost(0);
    Client late = rig.client();
    late.watch("u2");
    rig.pass(PresencePartitions.ASK_MS);
    rig.answer();
    rig.read(4);
    assertThat(late.heard).isEmpty();
    assertThat(client.heard).isEmpty();
    rig.settle();
    assertThat(client.heard).containsExactly("u4 offline");
    assertThat(late.heard).containsExactly("u2 online");
  }

  @Test
  @DisplayName("a log that ends before what was read of it is read anew; no older state is told")
  void truncated() {
    rig.append("u2", true, 1);
    rig.append("u2", false, 2);
    live("u2");
    rig.partition("u2").remove(1);
    rig.pass(PresencePartitions.ASK_MS);
    rig.settle();
    rig.settle();
    assertThat(rig.counters.reread.sum()).isEqualTo(1);
    assertThat(client.heard).isEmpty();
    rig.append("u2", true, 3);
    rig.settle();
    assertThat(client.heard).containsExactly("u2 online");
  }

  @Test
  @DisplayName("another topic of the name: who was told online is not called offline for no record")
  void anotherTopic() {
    rig.append("u2", true, 500);
    rig.append("u4", true, 501);
    live("u2", "u4");
    rig.log.values().forEach(List::clear);
    rig.topicId = "topic-2";
    rig.append("u4", false, 3);
    rig.pass(PresencePartitions.ASK_MS);
    rig.settle();
    assertThat(client.heard).containsExactly("u4 offline");
    rig.append("u2", false, 4);
    rig.settle();
    assertThat(client.heard).containsExactly("u4 offline", "u2 offline");
  }

  @Test
  @DisplayName("a late answer about the topic before changes nothing")
  void lateAnswerOfOldTopic() {
    live("u2");
    rig.topicId = "topic-2";
    rig.pass(PresencePartitions.ASK_MS);
    rig.settle();
    long reread = rig.counters.reread.sum();
    rig.desk.ends(0, "topic-1", 0, 99, rig.nowMs - 1, rig.nowMs);
    assertThat(rig.counters.reread.sum()).isEqualTo(reread);
    client.heard.clear();
    client.watch("u2");
    assertThat(client.heard).containsExactly("u2 offline");
  }

  @Test
  @DisplayName("a partition without a leader holds up no other")
  void oneLeaderless() {
    client.watch("u2", "u3");
    rig.desk.noEnds(0);
    rig.asked.remove(Integer.valueOf(0));
    rig.settle();
    assertThat(client.heard).containsExactly("u3 offline");
  }

  @Test
  @DisplayName("a partition that nobody needs is let go, one that is watched stays")
  void idle() {
    live("u2", "u3");
    client.unwatch("u3");
    rig.pass(PresenceConfig.DEFAULT.presenceIdleMs());
    assertThat(rig.positions.keySet()).containsExactly(0, 1);
    rig.pass(1_000);
    assertThat(rig.positions.keySet()).containsExactly(0);
  }

  @Test
  @DisplayName("beyond the memory: idle partitions go first, then the one that grew; told by name")
  void memory() {
    PresenceRig small = new PresenceRig(PresenceConfig.DEFAULT.with(10, 600));
    small.append("u1", true, 1);
    small.append("u3", true, 2);
    Client first = small.client();
    first.watch("u1");
    small.settle();
    first.unwatch("u1");
    small.append("u2", true, 3);
    small.append("u4", true, 4);
    first.heard.clear();
    first.watch("u2");
    small.settle();
    assertThat(small.positions.keySet()).as("1 made room").containsExactly(0);
    assertThat(first.heard).containsExactly("u2 online");
    small.append("u6", true, 5);
    small.append("u8", true, 6);
    Client second = small.client();
    second.watch("u8");
    small.settle();
    assertThat(first.heard).containsExactly("u2 online", "u2 given up");
    assertThat(second.heard).contains("u8 given up");
    assertThat(small.positions).isEmpty();
    second.heard.clear();
    second.watch("u2");
    assertThat(second.heard).as("at once").containsExactly("u2 given up");
    assertThat(small.reserved).isZero();
    small.partition("u2").remove(3);
    small.partition("u2").remove(2);
    small.pass(PresenceDesk.REFUSED_MS);
    second.watch("u2");
    small.settle();
    assertThat(second.heard).endsWith("u2 online");
  }

  @Test
  @DisplayName("many watchers of one user cost one frame")
  void oneFrame() {
    List<Client> crowd = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Client one = rig.client();
      one.watch("u2");
      crowd.add(one);
    }
    rig.append("u2", true, 1);
    rig.settle();
    byte[] frame = crowd.get(0).frame("u2");
    for (Client one : crowd) {
      assertThat(one.frame("u2")).isSameAs(frame);
    }
    for (Client one : crowd.subList(0, 49)) {
      one.unwatch("u2");
    }
    rig.append("u2", false, 2);
    rig.settle();
    assertThat(crowd.get(48).heard).containsExactly("u2 online");
    assertThat(crowd.get(49).heard).containsExactly("u2 online", "u2 offline");
  }
}
