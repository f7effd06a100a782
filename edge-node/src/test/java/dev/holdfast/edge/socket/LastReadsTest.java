package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.xnio.XnioExecutor;
import org.xnio.conduits.StreamSourceConduit;

class LastReadsTest {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<String> calls = new ArrayList<>();
  private boolean said;
  private boolean open = true;
  private int read = 3;
  private final LastReads reads =
      new LastReads(socket(), new Endings(thread()), () -> said, () -> open);

  @Test
  @DisplayName("while our side talks, the socket is read as it comes")
  void before() throws IOException {
    reads.resumeReads();
    assertThat(once()).isEqualTo(3);
    read = -1;
    assertThat(once()).isEqualTo(-1);
    assertThat(calls).containsExactly("resumeReads", "read", "read");
    assertThat(tasks).isEmpty();
  }

  @Test
  @DisplayName("afterwards each read waits for its turn, and nobody is asked about the socket")
  void inTurns() throws IOException {
    said = true;
    read = 0;
    assertThat(once()).isZero();
    reads.resumeReads();
    assertThat(once()).isZero();
    assertThat(reads.isReadResumed()).isTrue();
    assertThat(calls).containsExactly("suspendReads");

    turn();
    assertThat(calls).containsExactly("suspendReads", "wakeupReads");
    assertThat(once()).isZero();
    reads.resumeReads();
    calls.clear();

    read = -1; // the peer's end, a while later
    assertThat(once()).isZero();
    assertThat(calls).containsExactly("suspendReads");
    turn();
    assertThat(once()).isEqualTo(-1);
  }

  @Test
  @DisplayName("in its turn all that is there is read")
  void all() throws IOException {
    said = true;
    assertThat(once()).isZero();
    turn();
    assertThat(once()).isEqualTo(3);
    assertThat(once()).isEqualTo(3);
    assertThat(tasks).isEmpty();
  }

  @Test
  @DisplayName("whoever wants no more, or is closed meanwhile, is not woken")
  void notWoken() throws IOException {
    said = true;
    reads.resumeReads();
    assertThat(once()).isZero();
    reads.suspendReads();
    turn();
    assertThat(calls).doesNotContain("wakeupReads");

    read = 0;
    assertThat(once()).isZero();
    reads.wakeupReads();
    calls.clear();
    assertThat(once()).isZero();
    open = false;
    turn();
    assertThat(calls).doesNotContain("wakeupReads");
  }

  private int once() throws IOException {
    return reads.read(ByteBuffer.allocate(8));
  }

  private void turn() {
    assertThat(tasks).hasSize(1);
    tasks.remove().run();
  }

  private StreamSourceConduit socket() {
    return (StreamSourceConduit)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {StreamSourceConduit.class},
            (proxy, method, args) -> {
              calls.add(method.getName());
              return method.getReturnType() == int.class ? read : null;
            });
  }

  private XnioExecutor thread() {
    return (XnioExecutor)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {XnioExecutor.class},
            (proxy, method, args) -> {
              tasks.add((Runnable) args[0]);
              return null;
            });
  }
}
