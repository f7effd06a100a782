package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.xnio.conduits.StreamSourceConduit;

class FrameSourceTest {
  private final List<String> calls = new ArrayList<>();
  private final FrameSource source = new FrameSource(socket());
  private int read;
  private boolean broken;

  @Test
  @DisplayName("the owner hears of the end of the stream, and Undertow does not")
  void endOfStream() throws IOException {
    read = -1;
    source.tell(this::stop);
    assertThat(source.read(ByteBuffer.allocate(4))).isZero();
    assertThat(calls).containsExactly("read", "suspendReads");
  }

  @Test
  @DisplayName("Undertow hears of it first while it has frames that came before")
  void behindFrames() throws IOException {
    read = -1;
    source.tell(this::stop);
    assertThat(source.read(ByteBuffer.allocate(4).put((byte) 1))).isEqualTo(-1);
    assertThat(calls).containsExactly("read");
    assertThat(source.read(ByteBuffer.allocate(4))).isZero();
    assertThat(calls).containsExactly("read", "read", "suspendReads");
  }

  @Test
  @DisplayName("nor of a reset")
  void reset() throws IOException {
    broken = true;
    source.tell(this::stop);
    assertThat(source.read(ByteBuffer.allocate(4))).isZero();
    assertThat(source.read(new ByteBuffer[] {ByteBuffer.allocate(4)}, 0, 1)).isZero();
    assertThat(calls).containsExactly("read", "suspendReads");
  }

  @Test
  @DisplayName("what the owner leaves to Undertow gets there")
  void left() throws IOException {
    source.tell(() -> false);
    read = -1;
    assertThat(source.read(ByteBuffer.allocate(4))).isEqualTo(-1);
    broken = true;
    assertThatThrownBy(() -> source.read(ByteBuffer.allocate(4))).isInstanceOf(IOException.class);
  }

  @Test
  @DisplayName("nobody can have a socket asked for more that is only to be closed")
  void staysStopped() {
    source.resumeReads();
    source.stop();
    calls.clear();
    source.resumeReads();
    source.wakeupReads();
    assertThat(calls).isEmpty();
  }

  private boolean stop() {
    source.stop();
    return true;
  }

  private StreamSourceConduit socket() {
    return (StreamSourceConduit)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {StreamSourceConduit.class},
            (proxy, method, args) -> {
              calls.add(method.getName());
              if (method.getName().equals("read") && broken) {
                throw new IOException("Connection reset");
              }
              return method.getReturnType() == int.class ? read : null;
            });
  }
}
