package dev.holdfast.edge.presence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.presence.PresenceRig.Client;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Random histories; a failure names the seed that repeats it. */
class PresenceFuzzTest {
  private static final int SEEDS = 400;
  private static final int STEPS = 300;
  private static final List<String> USERS = List.of("u0", "u1", "u2", "u3", "u4", "u5");

  @Test
  @DisplayName("whatever happens, nobody hears an older state, and in the end everybody the newest")
  void everybodyHearsTheNewest() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      new History(seed).run();
    }
  }

  /** One history: an outage, lost positions, copies of older records, clients that come and go. */
  private static final class History {
    private final long seed;
    private final Random random;
    private final PresenceRig rig = new PresenceRig();
    private final List<Client> clients = new ArrayList<>();
    private final Map<String, PresenceState> truth = new HashMap<>();
    private final Map<Client, Map<String, Long>> revs = new HashMap<>();
    private long rev;

    History(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      for (int i = 0; i < 3; i++) {
        clients.add(rig.client());
      }
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        step();
        check();
      }
      rig.reachable = true;
      for (int i = 0; i < 3; i++) {
        rig.pass(PresencePartitions.ASK_MS);
        rig.settle();
        check();
      }
      for (Client client : clients) {
        for (String user : client.watches.keySet()) {
          PresenceState newest = truth.getOrDefault(user, PresenceState.none(user));
          PresenceState told = client.newest.get(user);
          assertThat(told != null && told.saysTheSame(newest))
              .as("seed %s: %s told %s, is %s", seed, user, told, newest)
              .isTrue();
        }
      }
      int watched = clients.stream().mapToInt(client -> client.watches.size()).sum();
      assertThat(rig.reserved).as("seed %s: room taken", seed).isEqualTo(watched);
    }

    private void step() {
      Client client = clients.get(random.nextInt(clients.size()));
      String user = USERS.get(random.nextInt(USERS.size()));
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> change(user);
        case 3 -> copy(user);
        case 4 -> {
          if (!client.watches.containsKey(user)) {
            client.newest.remove(user);
            revs.getOrDefault(client, new HashMap<>()).remove(user);
            client.watch(user);
          }
        }
        case 5 -> client.unwatch(user);
        case 6 -> rig.answer();
        case 7, 8 -> rig.read(1 + random.nextInt(4));
        case 9 -> rig.pass(random.nextInt(4_000));
        case 10 -> rig.reachable = random.nextInt(4) > 0;
        default -> lose(PresenceRig.partitionOf(user));
      }
    }

    private void change(String user) {
      PresenceState before = truth.getOrDefault(user, PresenceState.none(user));
      boolean online = random.nextBoolean();
      int devices = online ? 1 + random.nextInt(3) : 0;
      PresenceState next =
          PresenceRig.state(
              user, online, online == before.online() ? since(user) : ++rev, ++rev, devices);
      sinces.put(user, online == before.online() ? since(user) : rev - 1);
      rig.partition(user).add(new PresenceRig.Entry(user, next));
      truth.put(user, next);
    }

    private final Map<String, Long> sinces = new HashMap<>();

    private long since(String user) {
      return sinces.getOrDefault(user, 0L);
    }

    /** What a zombie, or the other one of a pair, writes once more. */
    private void copy(String user) {
      List<PresenceRig.Entry> entries = rig.partition(user);
      if (!entries.isEmpty()) {
        entries.add(entries.get(random.nextInt(entries.size())));
      }
    }

    private void lose(int partition) {
      if (rig.positions.remove(partition) != null) {
        rig.desk.lost(partition);
      }
    }

    private void check() {
      for (Client client : clients) {
        Map<String, Long> before = revs.computeIfAbsent(client, c -> new HashMap<>());
        for (Map.Entry<String, PresenceState> told : client.newest.entrySet()) {
          PresenceState state = told.getValue();
          long number = rev(state);
          assertThat(number)
              .as("seed %s: %s after %s", seed, state, before.get(told.getKey()))
              .isGreaterThanOrEqualTo(before.getOrDefault(told.getKey(), -1L));
          before.put(told.getKey(), number);
        }
      }
    }

    private static long rev(PresenceState state) {
      String text = state.toString();
      return Long.parseLong(text.substring(text.lastIndexOf(' ') + 1));
    }
  }
}
