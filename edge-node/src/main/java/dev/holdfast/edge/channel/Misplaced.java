package dev.holdfast.edge.channel;

import dev.holdfast.edge.session.Seldom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts records that lie where no subscriber of their channel looks, and says so now and then. */
final class Misplaced {
  private static final Logger LOG = LoggerFactory.getLogger(Misplaced.class);

  private final Places places;
  private final ChannelCounters counters;
  private final Seldom complaint = new Seldom();

  Misplaced(Places places, ChannelCounters counters) {
    this.places = places;
    this.counters = counters;
  }

  /** A record was followed at {@code place}. */
  void look(Place place, ConsumerRecord<byte[], byte[]> record) {
    if (places.rightful(place, record)) {
      return;
    }
    counters.misplaced.increment();
    if (complaint.now()) {
      LOG.atWarn()
          .log(
              "a record of {} lies in partition {}, where its key does not belong: no subscriber"
                  + " sees it there; keys= of namespace {} must say how its writers hash keys",
              record.topic(),
              record.partition(),
              place.namespace().prefix());
    }
  }
}
