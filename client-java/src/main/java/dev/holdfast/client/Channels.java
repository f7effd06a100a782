package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions, as the application asks for them and as the server answers. A channel whose events
 * come faster than the application handles them is left when more than 1 000 of its events wait,
 * and taken up again where it was when they are through. Used on the loop only.
 */
final class Channels {
  private static final int MOST = 10_000;
  private static final int MOST_WAITING = 1_000;
  private static final int FRAME_CHARS = 64 * 1024;
  private static final long STORE_MS = 1_000;

  private final Core core;
  private final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
  private final Positions positions = new Positions();
  private final Events events;
  private final Alarm save;
  private final Alarm again;

  Channels(Core core) {
    this.core = core;
    this.events = new Events(core, this::moved);
    this.save = new Alarm(core.env());
    this.again = new Alarm(core.env());
  }

  /** Takes the stored positions; false when they cannot be read. */
  boolean loaded(String stored) {
    boolean good = positions.read(stored);
    subscriptions.values().forEach(s -> s.startAt(positions.get(s.channel())));
    return good;
  }

  // ---- what the application asks

  void subscribe(String channel, @Nullable String position, @Nullable Double maxRate) {
    Subscription wanted = subscriptions.get(channel);
    if (wanted == null) {
      if (subscriptions.size() >= MOST) {
        ended(channel, "too_many", false);
        return;
      }
      wanted = new Subscription(channel);
      wanted.startAt(positions.get(channel));
      subscriptions.put(channel, wanted);
    }
    if (position != null) {
      events.drop(wanted); // what waits was before the application chose another place
    }
    wanted.ask(position, maxRate);
    if (!wanted.left()) {
      send(List.of(wanted));
    }
  }

  void unsubscribe(String channel) {
    Subscription gone = subscriptions.remove(channel);
    Link link = core.machine().online();
    if (gone == null) {
      return;
    }
    events.drop(gone);
    positions.remove(channel);
    changed();
    if (link != null) {
      link.send(Frames.unsubscribe(channel));
    } else {
      ended(channel, null, false);
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
    if (link != null) {
      wanted.forEach(Subscription::asked);
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
    boolean latest = frame.path("mode").asText().equals("latest");
    String reached = of.begun(position, recovered, latest);
    events.begun(new Subscribed(of.channel(), position, recovered, reason), reached, of);
  }

  void event(JsonNode frame) {
    Subscription of = subscriptions.get(frame.path("channel").asText());
    ChannelEvent event = ChannelEvent.of(frame);
    if (of == null || !of.takes()) {
      return;
    }
    if (!of.take(event.position(), true)) {
      core.counters().duplicates.increment();
      return;
    }
    Link link = core.machine().online();
    if (of.waiting() > MOST_WAITING && link != null) {
      of.leave();
      core.telemetry("overrun").reason(of.channel()).tell();
      link.send(Frames.unsubscribe(of.channel()));
    }
    events.came(event, of);
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
      ended(channel, null, false);
    }
  }

  private void ended(String channel, @Nullable String reason, boolean retrying) {
    Unsubscribed end = new Unsubscribed(channel, reason, retrying);
    core.tell("unsubscribed", core.handlers().unsubscribed, end);
  }

  /** One channel, or the list of those that one frame of the client had asked for. */
  void refused(JsonNode frame) {
    List<String> names = new ArrayList<>();
    frame.path("channels").forEach(name -> names.add(name.asText()));
    if (names.isEmpty()) {
      names.add(frame.path("channel").asText());
    }
    for (String name : names) {
      Subscription of = subscriptions.get(name);
      if (of != null) {
        refused(of, frame);
      }
    }
  }

  private void refused(Subscription of, JsonNode frame) {
    boolean retryable = frame.path("retryable").asBoolean();
    if (retryable) {
      int failures = of.broken();
      if (!again.isSet()) {
        again.set(delayMs(failures, frame.path("retryAfterMs").asLong(-1)), this::tryAgain);
      }
    } else {
      subscriptions.remove(of.channel()); // what had come of it is handed over all the same
      positions.remove(of.channel());
      changed();
    }
    ended(of.channel(), frame.path("code").asText(), retryable);
  }

  private long delayMs(int failures, long toldMs) {
    long planned = core.options().backoff().delayMs(failures, core.env().random());
    return toldMs < 0 ? planned : Math.max(planned, Backoff.askedMs(toldMs, core.env().random()));
  }

  private void tryAgain() {
    send(subscriptions.values().stream().filter(Subscription::isBroken).toList());
  }

  // ---- to the application

  /** Something of it was handed over. */
  private void moved(Subscription of) {
    noted(of);
    if (of.left() && of.waiting() == 0) {
      of.takeUp();
      if (subscriptions.get(of.channel()) == of) {
        send(List.of(of));
      }
    }
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
    events.pause();
    if (save.isSet()) {
      save.cancel();
      store();
    }
  }

  void resume() {
    events.resume();
  }

  void forget() {
    save.cancel();
    subscriptions.clear();
    positions.clear();
    events.forget();
  }
}
