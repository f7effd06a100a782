package dev.holdfast.edge.presence;

import dev.holdfast.RawJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A desk between watchers that note what they hear and a log that the test moves by hand. */
final class PresenceRig implements PresenceLog {
  static final int PARTITIONS = 2;

  /** One thing in a partition; a state of null is a deletion. */
  record Entry(String user, @Nullable PresenceState state) {}

  /** Notes what it is told. */
  final class Client implements Watcher {
    final List<String> heard = new ArrayList<>();
    final Map<String, PresenceState> newest = new HashMap<>();
    final Map<String, Watch> watches = new TreeMap<>();

    void watch(String... users) {
      List<Watch> asked = new ArrayList<>();
      for (String user : users) {
        asked.add(watches.computeIfAbsent(user, name -> new Watch(this, name)));
      }
      reserved += asked.size();
      desk.watch(asked, nowMs);
    }

    void unwatch(String user) {
      Watch watch = watches.remove(user);
      desk.unwatch(watch == null ? List.of() : List.of(watch), nowMs);
    }

    byte[] frame(String user) {
      PresenceState told = newest.get(user);
      return told == null ? new byte[0] : told.frame();
    }

    @Override
    public void changed(Watch watch) {
      PresenceState state = watch.state();
      if (state != null) {
        heard.add(watch.user() + (state.online() ? " online" : " offline"));
        newest.put(watch.user(), state);
      }
    }

    @Override
    public void gaveUp(List<Watch> ended) {
      for (Watch watch : ended) {
        watches.remove(watch.user());
        heard.add(watch.user() + " given up");
      }
    }
  }

  final PresenceCounters counters = new PresenceCounters();
  final Map<Integer, List<Entry>> log = new HashMap<>();
  final Map<Integer, Integer> positions = new TreeMap<>();
  final List<Integer> asked = new ArrayList<>();
  final PresenceDesk desk;
  int reserved;
  long nowMs = 1_000_000;
  String topicId = "topic-1";
  boolean reachable = true;

  PresenceRig(PresenceConfig config) {
    desk =
        new PresenceDesk(
            config, this, counters, PresenceRig::partitionOf, ended -> reserved -= ended);
    for (int p = 0; p < PARTITIONS; p++) {
      log.put(p, new ArrayList<>());
    }
  }

  PresenceRig() {
    this(PresenceConfig.DEFAULT);
  }

  /** Users whose name ends in an odd digit lie on partition 1. */
  static int partitionOf(String user) {
    return user.charAt(user.length() - 1) % PARTITIONS;
  }

  static PresenceState state(String user, boolean online, long since, long rev, int clients) {
    StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < clients; i++) {
      json.append(i == 0 ? "" : ",").append("{\"clientId\":\"c").append(i).append("\"}");
    }
    return new PresenceState(
        user, online, since, 7, RawJson.of(json.append(']').toString()), clients, rev);
  }

  /** A committed record. */
  void append(String user, boolean online, long rev) {
    append(user, online, rev, rev, online ? 1 : 0);
  }

  void append(String user, boolean online, long since, long rev, int clients) {
    partition(user).add(new Entry(user, state(user, online, since, rev, clients)));
  }

  void delete(String user) {
    partition(user).add(new Entry(user, null));
  }

  List<Entry> partition(String user) {
    return partition(partitionOf(user));
  }

  private List<Entry> partition(int number) {
    return log.computeIfAbsent(number, n -> new ArrayList<>());
  }

  Client client() {
    return new Client();
  }

  /** Answers what is asked. */
  void answer() {
    while (!asked.isEmpty()) {
      int partition = asked.remove(0);
      if (reachable) {
        desk.ends(partition, topicId, 0, partition(partition).size(), nowMs, nowMs);
      } else {
        desk.noEnds(partition);
      }
    }
  }

  /** Reads at most {@code most} records of each partition that is read. */
  void read(int most) {
    if (!reachable) {
      return;
    }
    for (int partition : List.copyOf(positions.keySet())) {
      List<Entry> entries = partition(partition);
      Integer from = positions.get(partition);
      int next = from == null ? 0 : from;
      if (next > entries.size()) {
        positions.remove(partition);
        desk.lost(partition);
        continue;
      }
      int to = Math.min(entries.size(), next + most);
      for (; next < to && positions.containsKey(partition); next++) {
        Entry entry = entries.get(next);
        positions.put(partition, next + 1);
        desk.record(partition, entry.user(), entry.state(), nowMs);
      }
      if (positions.containsKey(partition)) {
        desk.readUpTo(partition, next, nowMs);
      }
    }
  }

  /** Answers and reads until nothing is left. */
  void settle() {
    answer();
    read(1_000_000);
  }

  void pass(long ms) {
    nowMs += ms;
    desk.tick(nowMs);
  }

  @Override
  public void ask(Collection<Integer> partitions) {
    asked.addAll(partitions);
  }

  @Override
  public void read(int partition, long from) {
    positions.put(partition, (int) from);
  }

  @Override
  public void drop(int partition) {
    positions.remove(partition);
  }
}
