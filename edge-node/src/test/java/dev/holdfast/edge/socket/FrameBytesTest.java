package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FrameBytesTest {
  private static final int MOST = 96 * 1024;

  @Test
  void gathersByteByByteWithoutCopyingEachTime() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer one = ByteBuffer.allocate(1);
    FrameBytes frame = new FrameBytes(MOST);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < MOST; i++) {
      one.clear().put((byte) i).flip();
      assertThatTaken(frame.add(one));
    }
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(20L * MOST);
    byte[] all = frame.toBytes();
    assertThat(all).hasSize(MOST);
    for (int i = 0; i < MOST; i += 997) {
      assertThat(all[i]).isEqualTo((byte) i);
    }
  }

  @Test
  void refusesWhatIsTooLarge() {
    FrameBytes frame = new FrameBytes(10);
    assertThat(frame.add(ByteBuffer.wrap(new byte[10]))).isTrue();
    assertThat(frame.add(ByteBuffer.wrap(new byte[0]))).isTrue();
    assertThat(frame.toBytes()).hasSize(10);
    assertThat(frame.add(ByteBuffer.wrap(new byte[1]))).isFalse();
    assertThat(new FrameBytes(10).toBytes()).isEmpty();
  }

  private static void assertThatTaken(boolean taken) {
    if (!taken) {
      throw new AssertionError("refused");
    }
  }
}
