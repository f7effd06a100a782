package dev.holdfast.edge.drain;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.FrameReader;
import dev.holdfast.record.Event;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A drain on a clock that runs only while it pauses. */
class DrainTest {
  private static final int SECONDS = 20;

  private final FakeLog log = new FakeLog();
  private final Sessions sessions = new Sessions();
  private final List<Socket> sockets = new ArrayList<>();
  private long nowMs = 5_000;
  private final SessionContext context =
      new SessionContext(
          log,
          Limits.DEFAULT,
          new FrameReader(Limits.DEFAULT),
          new EdgeCounters(),
          new EdgeIdentity("e", 0, 1_700_000_000_000L, new Random(1)),
          sessions,
          new AckFlusher(),
          (delayMs, task) -> {},
          () -> nowMs,
          InstantSource.system(),
          new Random(2),
          Access.OPEN,
          Channels.NONE,
          Presence.NONE);

  DrainTest() {
    log.holdOutcomes = true;
  }

  private Drain drain(Drain.Pause pause) {
    return new Drain(sessions, () -> nowMs, pause, new Random(3));
  }

  private void pass(long ms) {
    nowMs += ms;
  }

  /** A socket whose client answers a close at once. */
  private final class Socket extends SilentTransport {
    final Session session = sessions.open(this, context);
    @Nullable CloseCode closed;
    long closedAtMs;
    boolean answers = true;

    Socket() {
      sockets.add(this);
    }

    void hello() {
      String hello = "{\"type\":\"hello\",\"clientId\":\"c" + sockets.size() + "\",\"lastSeq\":0}";
      session.onText(hello.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close(CloseCode code) {
      closed = code;
      closedAtMs = nowMs;
      if (answers) {
        session.onSocketClosed();
      }
    }
  }

  private void open(int count) {
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket();
      if (i % 3 > 0) {
        socket.hello();
      }
      if (i % 3 > 1) {
        socket.session.onWelcome(FakeLog.welcome(0));
      }
    }
  }

  @Test
  @DisplayName("R-6.2: 1000 connections in any state get 4001, none of 20 seconds twice the mean")
  void spreadsEvenly() {
    open(1_000);

    drain(this::pass).run(1_000L * SECONDS);

    int[] perSecond = new int[SECONDS + 1];
    for (Socket socket : sockets) {
      assertThat(socket.closed).isEqualTo(CloseCode.SERVER_RESTART);
      perSecond[(int) ((socket.closedAtMs - 5_000) / 1_000)]++;
    }
    assertThat(Arrays.stream(perSecond).max().orElse(0))
        .as("closes in the busiest second")
        .isLessThanOrEqualTo(2 * 1_000 / SECONDS);
    assertThat(perSecond[0]).isPositive();
    assertThat(perSecond[SECONDS - 1]).isPositive();
    assertThat(nowMs).isLessThan(5_000 + 1_000L * SECONDS + 100);
    assertThat(sessions.size()).isZero();
    assertThat(log.events(Event.Disconnect.class)).hasSize(666);
  }

  @Test
  void theOrderIsNotThatOfTheConnections() {
    open(1_000);

    drain(this::pass).run(1_000L * SECONDS);

    long firstHalf = sockets.subList(0, 500).stream().filter(s -> s.closedAtMs < 15_000).count();
    assertThat(firstHalf).isBetween(200L, 300L);
  }

  @Test
  void zeroSecondsClosesAllAtOnce() {
    open(30);

    drain(this::pass).run(0);

    assertThat(sockets).allMatch(s -> s.closed == CloseCode.SERVER_RESTART);
    assertThat(nowMs).isEqualTo(5_000);
  }

  @Test
  void whoseHandshakeWasUnderWayIsClosedAtTheEnd() {
    open(10);

    drain(
            ms -> {
              pass(ms);
              if (sockets.size() == 10) {
                new Socket();
              }
            })
        .run(1_000L * SECONDS);

    assertThat(sockets).hasSize(11).allMatch(s -> s.closed == CloseCode.SERVER_RESTART);
    assertThat(sessions.size()).isZero();
  }

  @Test
  void endsEarlyWhenNobodyIsLeft() {
    open(10);

    drain(
            ms -> {
              pass(ms);
              sockets.forEach(s -> s.session.onSocketClosed());
            })
        .run(1_000L * SECONDS);

    assertThat(nowMs).isLessThan(7_000);
  }

  @Test
  void aSocketThatDoesNotAnswerIsWaitedForBriefly() {
    open(1);
    sockets.get(0).answers = false;

    drain(this::pass).run(0);

    assertThat(nowMs).isBetween(5_000 + Drain.GOODBYE_MS, 5_000 + Drain.GOODBYE_MS + 100);
  }

  @Test
  void anInterruptClosesTheRestAtOnce() {
    open(30);

    drain(
            ms -> {
              throw new InterruptedException();
            })
        .run(1_000L * SECONDS);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(sockets).allMatch(s -> s.closed == CloseCode.SERVER_RESTART);
    assertThat(nowMs).isEqualTo(5_000);
  }
}
