package dev.holdfast.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.store.MemoryStore;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LogoutTest {
  private static final long BEGINS = 1_795_998_649_000L;

  @Test
  @DisplayName("R-1.13 what a failing store was writing at the logout does not come back after it")
  void failingStore() {
    int through = 0;
    for (long seed = 0; seed < 300; seed++) {
      through += failingStore(seed) ? 1 : 0;
    }
    assertThat(through).isGreaterThan(50); // of the others the store failed to delete the rows
  }

  @Test
  @DisplayName("R-1.13 nothing of the old user is left: neither token, nor node, nor cursor")
  void nothingIsLeft() {
    String token = "e30." + base64("{\"sub\":\"bob\"}") + ".x";
    MemoryStore store = new MemoryStore();
    Rig rig = new Rig(store, builder -> builder.token(token));
    rig.client.connect();
    ScriptWire wire = rig.open();
    assertThat(rig.frame(wire, "hello").path("token").asText()).isEqualTo(token);
    rig.welcome(wire, 7);
    rig.client.watch(List.of("ann"));
    rig.tell(wire, "{'type':'presence','user':'ann','status':'online','since':1,'lastSeen':1}");

    var out = rig.client.logout().toCompletableFuture();
    rig.time.pass(1_000);
    assertThat(out).isCompleted();
    assertThat(rig.client.presence("ann")).isNull();
    assertThat(store.keys("").toCompletableFuture().join()).isEmpty();
    var page = rig.client.history(0, 10);
    rig.time.settle();
    assertThat(rig.asked).isEmpty();
    assertThat(page).isCompletedExceptionally();

    rig.client.connect();
    JsonNode hello = rig.frame(rig.open(), "hello");
    assertThat(hello.has("token") || hello.has("sessionToken") || hello.has("lastSeq")).isFalse();
    assertThat(store.keys("").toCompletableFuture().join()).noneMatch(key -> key.contains("bob"));
  }

  @Test
  @DisplayName(
      "R-1.13 a logout before any token told whose store it is says that nothing is deleted")
  void nobodyKnowsWhose() {
    MemoryStore store = new MemoryStore();
    store.set(Map.of(Rig.ROWS + "session", "{\"clientId\":\"bob-phone\"}"));
    Rig rig = new Rig(store, builder -> builder.token(CompletableFuture<String>::new));
    var sent = rig.client.send(To.user("ann"), "hi");
    var out = rig.client.logout().toCompletableFuture();
    rig.time.settle();
    assertThat(out)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(IllegalStateException.class);
    assertThat(sent).isCompletedExceptionally();
    assertThat(store.keys("").toCompletableFuture().join()).containsExactly(Rig.ROWS + "session");
  }

  private static String base64(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }

  private static boolean failingStore(long seed) {
    FakeTime time = new FakeTime(BEGINS);
    SplittableRandom random = new SplittableRandom(seed);
    SimStore store = new SimStore(time, random.split());
    SimServer server = new SimServer(random.split(), new Ledger(store));
    SimNetwork network = new SimNetwork(time, random.split(), server);
    network.down(true);
    Executor loop = task -> time.soon(task);
    Env env = new Env(loop, loop, time, time::later, random.split(), network, store);
    HoldfastClient client =
        HoldfastClient.builder().url("ws://edge.test/v1/ws").user("bob").env(env).build();
    client.connect();
    time.pass(1_000);
    AtomicInteger refused = new AtomicInteger();
    store.fail(true);
    for (int i = 0; i < 3; i++) {
      var unused =
          client
              .send(To.user("alice"), "secret " + i)
              .whenComplete((sent, error) -> refused.addAndGet(error == null ? 0 : 1));
    }
    time.pass(random.nextInt(12)); // a write is under way
    CompletionStage<Void> out = client.logout();
    time.pass(random.nextInt(4));
    store.fail(false);
    time.pass(600_000);
    assertThat(refused).hasValue(3);
    if (out.toCompletableFuture().isCompletedExceptionally()) {
      return false; // the application was told
    }
    client.connect(); // writes again
    time.pass(60_000);
    Set<String> left = new HashSet<>();
    var unused = store.keys("holdfast/").thenAccept(left::addAll);
    time.pass(100);
    assertThat(left).as("seed %d", seed).noneMatch(key -> key.contains("/out/"));
    return true;
  }
}
