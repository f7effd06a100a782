package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.rules.Seen;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions and their events, one event after the other. A channel whose events come faster
 * than the application handles them is left when more than 1 000 of its events wait, and taken up
 * again where it was when they are through. Used on the loop only.
 */
final class Channels {
  private static final int MOST = 10_000;
  private static final int MOST_WAITING = 1_000;
  private static final int FRAME_CHARS = 64 * 1024;
  private static final long STORE_MS = 1_000;

  /** An event, or in its place what was told of the subscription. */
  private record Item(
      @Nullable ChannelEvent event, @Nullable Subscribed begun, Subscription of, int era) {}

  private final Core core;
  private final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
  private final Positions positions = new Positions();
  private final ArrayDeque<Item> queue = new ArrayDeque<>();
  private final Handing<ChannelEvent> handing;
  private final Alarm save;
  private final Alarm again;
  private Seen seen = new Seen();
  private @Nullable Item inHand;
  private int failures;

  Channels(Core core) {
    this.core = core;
    this.handing = new Handing<>(core, "event", () -> core.handlers().event);
    this.save = new Alarm(core.env());
    this.again = new Alarm(core.env());
  }

  void loaded(@Nullable String stored) {
    if (stored != null) {
      positions.read(stored);
      subscriptions.values().forEach(s -> s.startAt(positions.get(s.channel())));
    }
  }

  // ---- what the application asks

  void subscribe(String channel, @Nullable String position, @Nullable Double maxRate) {
    Subscription wanted = subscriptions.get(channel);
    if (wanted == null) {
      if (subscriptions.size() >= MOST) {
        ended(channel, "too_many");
        return;
      }
      wanted = new Subscription(channel);
      wanted.startAt(positions.get(channel));
      subscriptions.put(channel, wanted);
    }
    wanted.ask(position, maxRate);
    if (core.machine().online() != null) {
      send(List.of(wanted));
    }
  }

  void unsubscribe(String channel) {
    Subscription gone = subscriptions.remove(channel);
    Link link = core.machine().online();
    if (gone == null) {
      return;
    }
    queue.removeIf(item -> item.of() == gone);
    positions.remove(channel);
    changed();
    if (link != null) {
      link.send(Frames.unsubscribe(channel));
    } else {
      ended(channel, null);
    }
  }

  /** Puts in what fits into {@code room} characters; returns how many it took. */
  int hello(ObjectNode hello, int room) {
    ArrayNode list = Json.mapper().createArrayNode();
    int used = 0;
    for (Subscription wanted : subscriptions.values()) {
      ObjectNode json = wanted.json();
      used += json.toString().length() + 1;
      wanted.connecting(used <= room);
      if (wanted.inHello()) {
        list.add(json);
      }
    }
    if (!list.isEmpty()) {
      hello.set("channels", list);
    }
    return Math.min(used, room);
  }

  void welcome() {
    send(subscriptions.values().stream().filter(s -> !s.inHello() && !s.left()).toList());
  }

  private void send(List<Subscription> wanted) {
    Link link = core.machine().online();
    wanted.forEach(Subscription::asked);
    if (link != null) {
      List<ObjectNode> all = wanted.stream().map(Subscription::json).toList();
      Frames.subscribe(all, FRAME_CHARS).forEach(link::send);
    }
  }

  // ---- what the server tells

  void subscribed(JsonNode frame) {
    Subscription of = subscriptions.get(frame.path("channel").asText());
    if (of == null || of.left()) {
      return;
    }
    String position = frame.path("position").asText();
    boolean recovered = frame.path("recovered").asBoolean();
    String reason = frame.path("reason").textValue();
    of.begun(position, recovered);
    failures = 0;
    noted(of);
    Subscribed begun = new Subscribed(of.channel(), position, recovered, reason);
    queue.add(new Item(null, begun, of, of.era()));
    next();
  }

  void event(JsonNode frame) {
    Subscription of = subscriptions.get(frame.path("channel").asText());
    ChannelEvent event = ChannelEvent.of(frame);
    if (of == null || !of.takes()) {
      return;
    }
    String msgId = event.msgId();
    boolean repeated = msgId != null && seen.contains(msgId);
    if (!of.take(event.position(), !repeated)) {
      core.counters().duplicates.increment();
      return;
    }
    if (repeated) {
      core.counters().duplicates.increment();
      noted(of);
      return;
    }
    if (msgId != null) {
      seen.add(msgId);
    }
    queue.add(new Item(event, null, of, of.era()));
    Link link = core.machine().online();
    if (of.waiting() > MOST_WAITING && link != null) {
      of.leave();
      core.telemetry("overrun").reason(of.channel()).tell();
      link.send(Frames.unsubscribe(of.channel()));
    }
    next();
  }

  void progress(JsonNode frame) {
    Subscription of = subscriptions.get(frame.path("channel").asText());
    if (of != null && of.takes()) {
      of.take(frame.path("position").asText(), false);
      noted(of);
    }
  }

  void unsubscribed(JsonNode frame) {
    String channel = frame.path("channel").asText();
    if (!subscriptions.containsKey(channel)) {
      ended(channel, null);
    }
  }

  private void ended(String channel, @Nullable String reason) {
    Unsubscribed end = new Unsubscribed(channel, reason);
    core.tell("unsubscribed", core.handlers().unsubscribed, end);
  }

  void refused(JsonNode frame) {
    String code = frame.path("code").asText();
    Subscription of = subscriptions.get(frame.path("channel").asText());
    if (of == null) {
      return;
    }
    if (code.equals("unavailable") || code.equals("overloaded")) {
      of.broken();
      if (!again.isSet()) {
        long planned = core.options().backoff().delayMs(failures++, core.env().random());
        again.set(Math.max(planned, frame.path("retryAfterMs").asLong()), this::tryAgain);
      }
      return;
    }
    subscriptions.remove(of.channel());
    positions.remove(of.channel());
    changed();
    ended(of.channel(), code);
  }

  private void tryAgain() {
    send(subscriptions.values().stream().filter(Subscription::isBroken).toList());
  }

  // ---- to the application

  private void next() {
    while (inHand == null && !queue.isEmpty() && core.machine().wanted()) {
      Item item = queue.element();
      ChannelEvent event = item.event();
      if (event != null && !handing.hasHandler()) {
        return;
      }
      queue.remove();
      if (event != null) {
        inHand = item;
        handing.hand(event, this::through);
      } else if (item.begun() != null) {
        core.tell("subscribed", core.handlers().subscribed, item.begun());
      }
    }
  }

  private void through(ChannelEvent event) {
    Item item = inHand;
    inHand = null;
    if (item != null) {
      core.counters().received.increment();
      item.of().handled(event.position(), item.era());
      noted(item.of());
    }
    if (item != null && item.of().left() && item.of().waiting() == 0) {
      item.of().takeUp();
      if (core.machine().online() != null && subscriptions.get(event.channel()) == item.of()) {
        send(List.of(item.of()));
      }
    }
    next();
  }

  /** What is stored of it follows, a second later at most. */
  private void noted(Subscription of) {
    String position = of.position();
    boolean here = subscriptions.get(of.channel()) == of;
    if (here && position != null && positions.put(of.channel(), position)) {
      changed();
    }
  }

  private void changed() {
    if (core.machine().wanted() && !save.isSet()) {
      save.set(STORE_MS, this::store);
    } else if (!core.machine().wanted()) {
      store();
    }
  }

  private void store() {
    if (core.loader().loaded()) {
      core.keeper().put(core.loader().key("channels"), positions.toString());
    }
  }

  void disconnected() {
    again.cancel();
  }

  void pause() {
    handing.pause();
    if (save.isSet()) {
      save.cancel();
      store();
    }
  }

  void resume() {
    handing.resume();
    next();
  }

  void forget() {
    save.cancel();
    subscriptions.clear();
    positions.clear();
    queue.clear();
    inHand = null;
    handing.forget();
    seen = new Seen();
  }
}
