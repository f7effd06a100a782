package dev.holdfast.edge.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.Sessions;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.Delivery.Kind;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DeliveryRouterTest {
  private final EdgeCounters counters = new EdgeCounters();
  private final DeliveryRouter router = new DeliveryRouter(new Sessions(), new FakeLog(), counters);

  @Test
  void countsWhatItCannotDeliver() {
    router.route(null, "c", 1, bytes("{}"));
    assertThat(counters.deliveriesUnreadable.sum()).isEqualTo(1);
    router.route(Kind.MESSAGE, "gone", 1, bytes("{}"));
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

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
