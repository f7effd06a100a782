package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.store.MemoryStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the application knows of its network. */
class SignalsTest {
  private final Rig rig = new Rig(new MemoryStore());

  @Test
  @DisplayName("R-1.6 the network went: a connection that is online is asked, with a limit of 3 s")
  void wentWhileOnline() {
    rig.client.connect();
    ScriptWire wire = rig.online();
    rig.client.networkAvailable(false);
    rig.time.settle();
    assertThat(wire.sent).containsExactly("ping");
    rig.tell(wire, "pong"); // it was another network
    rig.time.pass(10_000);
    assertThat(rig.client.state()).isEqualTo(State.ONLINE);

    rig.client.networkAvailable(false);
    rig.time.pass(3_100);
    assertThat(rig.client.state()).isEqualTo(State.OFFLINE_WAIT);
  }

  @Test
  @DisplayName("R-1.8 without a network nothing is tried until it returns")
  void connectsWithout() {
    rig.client.networkAvailable(false);
    rig.client.connect();
    rig.time.pass(10_000);
    assertThat(rig.client.state()).isEqualTo(State.OFFLINE_WAIT);
    rig.client.networkAvailable(true);
    rig.time.pass(1_000);
    rig.online();
  }
}
