package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xnio.conduits.StreamSinkConduit;

class FrameSinkTest {
  private static final int[] LENGTHS = {0, 1, 4, 125, 126, 700, 65_535, 65_536, 200_000};

  private final ByteArrayOutputStream came = new ByteArrayOutputStream();
  private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
  private int taken;
  private int given;

  private final FrameSink.Owner owner =
      new FrameSink.Owner() {
        @Override
        public void taken() {
          taken++;
        }

        @Override
        public void broken() {
          throw new AssertionError("the socket is not broken");
        }
      };

  @ParameterizedTest
  @DisplayName("whatever part of it a socket takes at once, each byte comes once and in order")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void inOrder(long seed) throws IOException {
    Random random = new Random(seed);
    FrameSink sink = new FrameSink(socket(random));
    ByteBuffer room = ByteBuffer.allocate(1_000 + random.nextInt(80_000));
    for (int n = 0; n < 50; n++) {
      OutboundQueue.Batch batch = batch(random);
      if (!sink.write(batch, room, owner)) {
        given++;
        if (random.nextBoolean()) {
          undertow(sink); // before the rest of ours is through
        }
        while (!sink.flush()) {
          // the socket takes a little each time
        }
      }
      assertThat(taken).as("told once of each that was not taken at once").isEqualTo(given);
      assertThat(came.toByteArray()).isEqualTo(expected.toByteArray());
    }
    assertThat(given).isPositive();
  }

  /** Writes as Undertow writes a frame of its own. */
  private void undertow(FrameSink sink) throws IOException {
    byte[] close = {(byte) 0x88, 2, 3, (byte) 0xe8};
    expected.writeBytes(close);
    ByteBuffer frame = ByteBuffer.wrap(close);
    while (frame.hasRemaining()) {
      int unused = sink.write(frame);
    }
  }

  /** A batch, whose bytes are put down as RFC 6455 says. */
  private OutboundQueue.Batch batch(Random random) {
    OutboundQueue queue = new OutboundQueue(Integer.MAX_VALUE, new NodeBudget(Long.MAX_VALUE));
    if (random.nextInt(4) == 0) {
      var unused = queue.addPing();
      expected.writeBytes(new byte[] {(byte) 0x89, 0});
    }
    if (random.nextInt(4) == 0) {
      byte[] body = body(random, random.nextInt(126));
      var unused = queue.addProtocolPong(body);
      frame(0x8a, body);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      var unused = queue.addPong();
      frame(0x81, new byte[] {'p', 'o', 'n', 'g'});
    }
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      byte[] body = body(random, LENGTHS[random.nextInt(LENGTHS.length)]);
      var unused = queue.add(body, 0);
      frame(0x81, body);
    }
    OutboundQueue.Batch batch = new OutboundQueue.Batch();
    assertThat(queue.take(Integer.MAX_VALUE, batch)).isTrue();
    return batch;
  }

  private static byte[] body(Random random, int length) {
    byte[] body = new byte[length];
    random.nextBytes(body);
    return body;
  }

  private void frame(int first, byte[] body) {
    expected.write(first);
    if (body.length < 126) {
      expected.write(body.length);
    } else if (body.length < 65_536) {
      expected.writeBytes(new byte[] {126, (byte) (body.length >> 8), (byte) body.length});
    } else {
      expected.writeBytes(ByteBuffer.allocate(9).put((byte) 127).putLong(body.length).array());
    }
    expected.writeBytes(body);
  }

  /** A socket that takes some of what it is given, and often nothing. */
  private StreamSinkConduit socket(Random random) {
    return (StreamSinkConduit)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {StreamSinkConduit.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "write" -> take(random, (ByteBuffer) args[0]);
                  case "flush" -> random.nextInt(3) > 0;
                  case "resumeWrites" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private int take(Random random, ByteBuffer from) {
    if (random.nextInt(4) == 0) {
      return 0;
    }
    int most = random.nextBoolean() ? from.remaining() : random.nextInt(from.remaining() + 1);
    byte[] some = new byte[most];
    from.get(some);
    came.writeBytes(some);
    return most;
  }
}
