package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.holdfast.Limits;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.SilentTransport;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.presence.Presence;
import dev.holdfast.edge.session.AckFlusher;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.frame.FrameReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PingAllocationTest {
  private static final int PINGS = 100_000;
  private static final int PONG_BYTES = 2 + 4;

  @Test
  @DisplayName("R-3.1 from ping to pong our code allocates nothing")
  void aPingAllocatesNothing() {
    Loop loop = new Loop();
    loop.run(20_000);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(id);
    loop.run(PINGS);
    long allocated = threads.getThreadAllocatedBytes(id) - before;

    assertThat(loop.written).isEqualTo(20_000 + PINGS);
    assertThat(allocated).as("bytes for %s pings", PINGS).isLessThan(PINGS);
  }

  /** All that is ours between Undertow's reading of a frame and the socket. */
  private static final class Loop extends SilentTransport {
    private final OutboundQueue queue = new OutboundQueue(100_000, new NodeBudget(100_000));
    private final OutboundQueue.Batch batch = new OutboundQueue.Batch();
    private final ByteBuffer room = ByteBuffer.allocate(8 * 1024);
    private final ByteBuffer chunk = ByteBuffer.wrap("ping".getBytes(StandardCharsets.US_ASCII));
    private final Session session;
    private long written;

    Loop() {
      Sessions sessions = new Sessions();
      session =
          sessions.open(
              this,
              new SessionContext(
                  new FakeLog(),
                  Limits.DEFAULT,
                  new FrameReader(Limits.DEFAULT),
                  new EdgeCounters(),
                  new EdgeIdentity("edge-1", 0, 0, new Random(1)),
                  sessions,
                  new AckFlusher(),
                  (delayMs, task) -> {},
                  TestServer::nowMs,
                  InstantSource.system(),
                  new Random(2),
                  Access.OPEN,
                  Channels.NONE,
                  Presence.NONE));
    }

    void run(int pings) {
      for (int i = 0; i < pings; i++) {
        if (FrameListener.isPing(chunk)) {
          session.onPing();
        }
        while (queue.take(1_000, batch)) {
          Wire.put(batch, 0, room.clear());
          written += room.position() / PONG_BYTES;
          batch.clear();
        }
      }
    }

    @Override
    public boolean pong() {
      return queue.addPong() != OutboundQueue.Offer.FULL;
    }
  }
}
