package dev.holdfast.edge.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Namespace.Publishers;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Channels against a plain model, in orders that chance chooses. A failure names its seed; {@code
 * -Dholdfast.channel.seed=N} repeats it alone.
 */
final class ChannelModelTest {
  private static final long ONE = Long.getLong("holdfast.channel.seed", -1);
  private static final int SEEDS = Integer.getInteger("holdfast.channel.seeds", 2_000);

  /** Seeds that once found something. */
  private static final long[] KNOWN = {3_802, 8_677, 19_860, 22_695, 24_606, 24_955, 147_924};

  private static final Namespace STREAM = Namespace.parse("t:publish=clients");
  private static final Namespace READ_ONLY = Namespace.parse("t");
  private static final Namespace LATEST = Namespace.parse("t:mode=latest");
  private static final Namespace LATEST_PUBLISHED =
      Namespace.parse("t:mode=latest:publish=clients");

  @Test
  @DisplayName("stream: every event once and in order, or it is said why not")
  void stream() {
    seeds(seed -> new Run(seed, seed % 3 == 0 ? READ_ONLY : STREAM).play());
  }

  @Test
  @DisplayName("latest: what is shown last is what is newest, and never older after newer")
  void latest() {
    seeds(seed -> new Run(seed, LATEST).play());
  }

  @Test
  @DisplayName("latest, and published again: the log's last record is the value, whatever its id")
  void latestPublished() {
    seeds(seed -> new Run(seed, LATEST_PUBLISHED).play());
  }

  @Test
  @DisplayName("history: every event after a position once and in order, or it is said why not")
  void history() {
    seeds(
        seed -> {
          Run run = new Run(seed, seed % 3 == 0 ? READ_ONLY : STREAM);
          run.asks = true;
          run.play();
        });
  }

  @Test
  @DisplayName("the model finds what is missing")
  void finds() {
    Run run = new Run(1, STREAM);
    run.lie = true;
    assertThatThrownBy(run::play)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("missing");
  }

  private interface Play {
    void play(long seed);
  }

  private static void seeds(Play play) {
    long from = ONE < 0 ? 0 : ONE;
    long to = ONE < 0 ? SEEDS : ONE + 1;
    for (long seed = from; seed < to; seed++) {
      seed(play, seed);
    }
    for (long seed : ONE < 0 ? KNOWN : new long[0]) {
      seed(play, seed);
    }
  }

  private static void seed(Play play, long seed) {
    try {
      play.play(seed);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("-Dholdfast.channel.seed=" + seed + ": " + e.getMessage(), e);
    }
  }

  /** One seed's play. */
  private static final class Run {
    private static final String[] KEYS = {"a", "b", "c", "quiet"};

    private final RandomGenerator random;
    private final Namespace namespace;
    private final ChannelLimits limits;
    private final Room room;
    private final ModelLog log;
    private final List<ModelEdge> edges = new ArrayList<>();
    private final List<ModelClient> clients = new ArrayList<>();
    private final List<String> ids = new ArrayList<>();
    private final ChannelCounters counters = new ChannelCounters();
    private final boolean rough;
    private boolean lie;
    private boolean asks;

    Run(long seed, Namespace namespace) {
      this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
      this.namespace = namespace;
      this.rough = random.nextInt(3) == 0;
      int window = random.nextBoolean() ? 5 : 90;
      this.limits = limits(window);
      this.room = new Room(List.of(1L << 20, 30_000L, 1_800L).get((int) (seed / 3 % 3)));
      this.log = new ModelLog(Feed.repeatRecords(place(), limits));
      int before = random.nextBoolean() ? 0 : random.nextInt(300);
      for (int i = 0; i < before; i++) {
        produce();
      }
      for (int i = 0; i < 2; i++) {
        edges.add(new ModelEdge(namespace, log, limits, room, counters));
      }
      for (int i = 0; i < 6; i++) {
        clients.add(new ModelClient(log, namespace, KEYS[i % KEYS.length], limits));
      }
    }

    private Place place() {
      return new Place(namespace, "topic-00", 0, 1_000);
    }

    private ChannelLimits limits(int window) {
      ChannelLimits all = ChannelLimits.DEFAULT;
      return new ChannelLimits(
          100,
          1_000,
          1_000,
          8 * 405 * (1 + random.nextInt(5)),
          4 + random.nextInt(30),
          100_000,
          window,
          random.nextInt(4) == 0 ? 405L * 60 : 1L << 30,
          random.nextInt(3) == 0 ? 500 : 30_000,
          all.historyEvents(),
          all.historyBytes(),
          all.historyScan(),
          all.historyQueries());
    }

    void play() {
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 120; i++) {
          step();
        }
        settle();
        clients.forEach(ModelClient::settled);
      }
      clients.forEach(ModelClient::disconnect);
      settle();
      for (ModelEdge edge : edges) {
        assertThat(edge.keepsAnything()).as("kept after all have left").isFalse();
        edge.end();
      }
      assertThat(counters.catchingUp).hasValue(0);
      assertThat(room.bytes()).as("bytes kept after the end").isZero();
    }

    private void step() {
      int dice = random.nextInt(100);
      ModelEdge edge = edges.get(random.nextInt(edges.size()));
      ModelClient client = clients.get(random.nextInt(clients.size()));
      if (dice < 20) {
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
          produce();
        }
      } else if (dice < 45) {
        edge.follow(random.nextInt(4), random.nextInt(6));
      } else if (dice < 65) {
        edge.reload(random.nextInt(4), random.nextInt(40));
      } else if (dice < 80) {
        client.drain(random.nextInt(6));
        if (asks) {
          client.ask(edge);
        }
      } else if (dice < 88) {
        comeOrGo(client, edge);
      } else if (dice < 94) {
        edge.passTime(random.nextInt(10) == 0 ? 20_000 : random.nextInt(200));
      } else {
        trouble(edge);
      }
    }

    private void comeOrGo(ModelClient client, ModelEdge edge) {
      if (!client.connected()) {
        client.connect(edge, rate(), counters);
      } else if (random.nextInt(3) == 0) {
        client.disconnect();
      }
    }

    private double rate() {
      return namespace.mode() == Mode.LATEST && random.nextBoolean() ? 10 : 0;
    }

    /** Whether records have ids, and may come again. */
    private boolean published() {
      return namespace.publish() != Publishers.NONE;
    }

    private void produce() {
      int dice = random.nextInt(20);
      String key = KEYS[random.nextInt(random.nextInt(8) == 0 ? 4 : 3)];
      if (dice == 0) {
        log.hole();
      } else if (dice == 1) {
        log.newLeader();
      } else if (dice < 5 && published() && !ids.isEmpty()) {
        int back = 1 + random.nextInt(Math.min(ids.size(), 120));
        String id = ids.get(ids.size() - back);
        log.append(id.substring(0, 1), id, false);
      } else {
        boolean own = published() && dice != 5;
        String id = own ? key.charAt(0) + "-" + ids.size() : null;
        if (id != null) {
          ids.add(id);
        }
        log.append(own ? key.substring(0, 1) : key, id, dice == 6);
      }
    }

    private void trouble(ModelEdge edge) {
      int dice = random.nextInt(8);
      if (dice < 4 && namespace.mode() == Mode.LATEST) {
        log.compact(Math.min(log.end() - random.nextInt(5), log.firstCut()));
      } else if (dice < 4) {
        log.retain(log.start() + random.nextInt(20));
      } else if (dice == 4 && rough) {
        log.cut(log.end() - random.nextInt(12));
        // What follows must be seen to be of another leader: not only markers, nor compacted away.
        log.append("a", null, false);
        int more = random.nextInt(15);
        for (int i = 0; i < more; i++) {
          produce();
        }
      } else if (dice == 5 && rough && random.nextInt(4) == 0) {
        log.recreate();
        ids.clear();
        edges.forEach(ModelEdge::look);
      } else if (dice == 6 && rough) {
        edge.silent(random.nextBoolean());
      }
    }

    /** Until nothing is under way any more. */
    private void settle() {
      edges.forEach(edge -> edge.silent(false));
      if (lie) {
        log.append("a", null, false);
        edges.forEach(edge -> edge.skip(log.end()));
      }
      for (int i = 0; i < 2_000; i++) {
        for (ModelEdge edge : edges) {
          edge.look();
          edge.follow(100, 20);
          edge.reload(100, 100);
          edge.passTime(30);
        }
        clients.forEach(client -> client.drain(100));
        if (i > 10
            && edges.stream().allMatch(ModelEdge::idle)
            && clients.stream().allMatch(ModelClient::drained)) {
          return;
        }
      }
      throw new AssertionError("it does not come to rest");
    }
  }
}
