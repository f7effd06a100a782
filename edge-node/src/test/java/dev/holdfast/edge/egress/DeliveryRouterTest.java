package dev.holdfast.edge.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.presence.Presence;
import dev.holdfast.edge.session.AckFlusher;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.Session;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.edge.session.Transport;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.FrameReader;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Delivery.Kind;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeliveryRouterTest {
  private final EdgeCounters counters = new EdgeCounters();
  private final FakeLog asked = new FakeLog();
  private final Queries queries =
      new Queries(
          asked,
          new EdgeIdentity("edge-1", 0, 1_700_000_000_000L, new Random(2)),
          counters,
          (delayMs, task) -> {},
          () -> 0);
  private final DeliveryRouter router =
      new DeliveryRouter(new Sessions(), new FakeLog(), queries, counters);

  @Test
  void countsWhatItCannotDeliver() {
    router.route(null, "u", "c", 1, bytes("{}"));
    assertThat(counters.deliveriesUnreadable.sum()).isEqualTo(1);
    router.route(Kind.MESSAGE, "u", "gone", 1, bytes("{}"));
    assertThat(counters.deliveriesDropped.sum()).isEqualTo(1);
  }

  @Test
  void readsCloseCodes() throws BadRecord {
    assertThat(DeliveryRouter.closeCode(bytes("{\"code\":4002}"))).isEqualTo(CloseCode.REPLACED);
    assertThat(DeliveryRouter.closeCode(bytes("{\"x\":[1],\"code\":4999}")))
        .isEqualTo(CloseCode.SERVICE_RESTART);
    assertThatThrownBy(() -> DeliveryRouter.closeCode(bytes("{}"))).isInstanceOf(BadRecord.class);
    assertThatThrownBy(() -> DeliveryRouter.closeCode(bytes("x"))).isInstanceOf(BadRecord.class);
  }

  @Test
  void givesAConnectionOnlyWhatHasItsUsersKey() {
    Sessions sessions = new Sessions();
    FakeLog log = new FakeLog();
    AtomicInteger sent = new AtomicInteger();
    Session session = sessions.open(socket(sent), context(sessions, log));
    DeliveryRouter to = new DeliveryRouter(sessions, log, queries, counters);
    to.route(Kind.CLOSE, "", session.connId(), 0, bytes("{\"code\":4002}"));
    session.onText(bytes("{\"type\":\"hello\",\"clientId\":\"c\",\"user\":\"ann\"}"));
    session.onWelcome(FakeLog.welcome(0));
    sent.set(0);
    to.route(Kind.MESSAGE, "bob", session.connId(), 1, bytes("{}"));
    to.route(Kind.CLOSE, "bob", session.connId(), 0, bytes("{\"code\":4002}"));
    to.route(Kind.MESSAGE, "", session.connId(), 1, bytes("{}"));
    assertThat(sent).hasValue(0);
    assertThat(counters.deliveriesMisaddressed.sum()).isEqualTo(4);
    to.route(Kind.MESSAGE, "ann", session.connId(), 1, bytes("{}"));
    assertThat(sent).hasValue(1);
  }

  /** A socket that takes everything. */
  private static Transport socket(AtomicInteger sent) {
    return (Transport)
        Proxy.newProxyInstance(
            Transport.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (self, method, arguments) -> {
              if (method.getName().equals("send")) {
                sent.incrementAndGet();
              }
              Class<?> type = method.getReturnType();
              return type == boolean.class
                  ? (Object) true
                  : type == long.class ? (Object) 0L : null;
            });
  }

  private SessionContext context(Sessions sessions, FakeLog log) {
    return new SessionContext(
        log,
        Limits.DEFAULT,
        new FrameReader(Limits.DEFAULT),
        counters,
        new EdgeIdentity("edge-1", 0, 1_700_000_000_000L, new Random(1)),
        sessions,
        new AckFlusher(),
        (delayMs, task) -> {},
        () -> 0,
        InstantSource.system(),
        new Random(2),
        Access.OPEN,
        Channels.NONE,
        Presence.NONE);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
