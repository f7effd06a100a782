package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import dev.holdfast.client.port.Transport;
import dev.holdfast.client.store.MemoryStore;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many clients that lose their server at once. */
class FleetTest {
  private static final int CLIENTS = 500;
  private static final long BUCKET_MS = 100;

  private final FakeTime time = new FakeTime(1_795_998_649_000L);
  private final List<SocketListener> live = new ArrayList<>();
  private final TreeMap<Long, Integer> attempts = new TreeMap<>();
  private boolean down;

  private final class Down implements Transport {
    @Override
    public Socket connect(URI url, SocketListener listener) {
      attempts.merge(time.tickMs() / BUCKET_MS, 1, Integer::sum);
      if (down) {
        time.later(1, () -> listener.ended(Ended.broken("unreachable")));
      } else {
        live.add(listener);
        time.later(1, () -> welcome(listener));
      }
      return new Nothing();
    }

    private void welcome(SocketListener listener) {
      listener.opened();
      listener.text(
          "{\"type\":\"welcome\",\"resumed\":true,\"epoch\":\"e\",\"seq\":0,\"ackSeq\":0}");
    }

    @Override
    public CompletionStage<HttpAnswer> get(URI url, @Nullable String token) {
      return new CompletableFuture<>();
    }
  }

  private static final class Nothing implements Socket {
    @Override
    public void send(String text) {}

    @Override
    public void close(int code, String reason) {}

    @Override
    public void abort() {}

    @Override
    public void more() {}
  }

  @Test
  @DisplayName("R-2.2 they do not come back together, nor in waves")
  void spread() {
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < CLIENTS; i++) {
      Env env =
          new Env(
              time::soon,
              time::soon,
              time,
              time::later,
              random.split(),
              new Down(),
              new MemoryStore());
      HoldfastClient.builder().url("ws://edge.test").user("u" + i).env(env).build().connect();
    }
    time.pass(1_000);
    assertThat(live).hasSize(CLIENTS);
    attempts.clear();
    down = true;
    live.forEach(listener -> listener.ended(Ended.broken("cut")));
    time.pass(20_000);

    assertThat(attempts.values().stream().mapToInt(n -> n).sum()).isGreaterThan(3 * CLIENTS);
    // the first wave lies in 200 to 1000 ms, each later one in twice that
    assertThat(attempts.values().stream().mapToInt(n -> n).max().orElse(0)).isLessThan(CLIENTS / 2);
    List<Integer> later = List.copyOf(attempts.tailMap(attempts.firstKey() + 30).values());
    assertThat(later.stream().mapToInt(n -> n).max().orElse(0)).isLessThan(CLIENTS / 8);
  }
}
