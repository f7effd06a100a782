package dev.holdfast.client;

import dev.holdfast.client.rules.Seen;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events of all channels, from the wire to the handler, one after the other. A subscription's
 * position moves here alone, when what stands before it was handed over: a process that dies finds
 * in its store no position beyond an event that waited. Used on the loop only.
 */
final class Events {
  /**
   * What waits.
   *
   * @param event null where {@code begun} stands in its place
   * @param position where the client stands once this and all before it is through
   * @param era the subscription's when it came
   */
  private record Item(
      @Nullable ChannelEvent event,
      @Nullable Subscribed begun,
      String position,
      Subscription of,
      int era) {}

  private final Core core;
  private final Consumer<Subscription> moved;
  private final ArrayDeque<Item> queue = new ArrayDeque<>();
  private final Handing<ChannelEvent> handing;
  private Seen seen = new Seen();
  private @Nullable Item inHand;

  /** {@code moved} is told of each subscription of which something is through. */
  Events(Core core, Consumer<Subscription> moved) {
    this.core = core;
    this.moved = moved;
    this.handing = new Handing<>(core, "event", () -> core.handlers().event);
  }

  /** It came, and was not there before; {@code of} has counted it as waiting. */
  void came(ChannelEvent event, Subscription of) {
    queue.add(new Item(event, null, event.position(), of, of.era()));
    next();
  }

  /** The server said how a subscription begins; the application is told in its place. */
  void begun(Subscribed told, String position, Subscription of) {
    queue.add(new Item(null, told, position, of, of.era()));
    next();
  }

  /** Nothing of it is handed over any more, but what a handler has in hand. */
  void drop(Subscription of) {
    queue.removeIf(item -> item.of() == of);
    if (inHand != null && inHand.of() == of) {
      handing.drop(
          () -> {
            inHand = null;
            next();
          });
    }
  }

  void next() {
    while (inHand == null && !queue.isEmpty() && core.machine().wanted()) {
      ChannelEvent event = queue.element().event();
      if (event != null && !handing.hasHandler()) {
        return;
      }
      Item item = queue.remove();
      if (event == null) {
        inHand = item;
        tell(item);
      } else if (isKnown(event)) {
        core.counters().duplicates.increment();
        through(item);
      } else {
        inHand = item;
        handing.hand(event, this::handled);
      }
    }
  }

  /** Events behind it, and the position, wait until the listener was told. */
  private void tell(Item item) {
    Subscribed begun = item.begun();
    if (begun != null) {
      core.tell("subscribed", core.handlers().subscribed, begun);
    }
    core.onApp(
        () ->
            core.env()
                .loop()
                .execute(
                    () -> {
                      if (item.equals(inHand)) {
                        inHand = null;
                        through(item);
                        next();
                      }
                    }));
  }

  private boolean isKnown(ChannelEvent event) {
    return event.msgId() != null && seen.contains(key(event));
  }

  /** A record that was copied from topic to topic has the same id in both. */
  private static String key(ChannelEvent event) {
    return event.msgId() + " " + event.channel();
  }

  /**
   * Not known before: what was not handed over must be taken when it comes again. In mode {@code
   * latest} never known: what is published again after another value is the newest again.
   */
  private void handled(ChannelEvent event) {
    Item item = inHand;
    inHand = null;
    if (event.msgId() != null && (item == null || !item.of().latest())) {
      seen.add(key(event));
    }
    core.counters().received.increment();
    if (item != null) {
      through(item);
    }
    next();
  }

  private void through(Item item) {
    item.of().handled(item.position(), item.era());
    moved.accept(item.of());
  }

  void pause() {
    handing.pause();
  }

  void resume() {
    handing.resume();
    next();
  }

  void forget() {
    queue.clear();
    inHand = null;
    handing.forget();
    seen = new Seen();
  }
}
