package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.Frames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Users whose presence is wanted. Used on the loop; {@link #last} by anybody. */
final class Watches {
  static final int MOST = 1_000;

  /** Names of 128 characters: 64 KiB. */
  private static final int IN_A_FRAME = 400;

  private static final long RETRY_MS = 1_000;

  private final Core core;
  private final Set<String> users = new LinkedHashSet<>();
  private final Set<String> later = new LinkedHashSet<>();
  private final Map<String, Presence> last = new ConcurrentHashMap<>();
  private final Alarm again;

  Watches(Core core) {
    this.core = core;
    this.again = new Alarm(core.env());
  }

  /** Beyond 1 000 nothing is added; told as telemetry {@code refused}. */
  void watch(Collection<String> more) {
    Set<String> all = new LinkedHashSet<>(users);
    all.addAll(more);
    if (all.size() > MOST) {
      core.telemetry("refused").reason("too_many").tell();
      return;
    }
    users.addAll(more);
    send("watch", List.copyOf(new LinkedHashSet<>(more)));
  }

  void unwatch(Collection<String> less) {
    List<String> gone = less.stream().distinct().filter(users::remove).toList();
    gone.forEach(last::remove);
    gone.forEach(later::remove);
    send("unwatch", gone);
  }

  private void send(String type, List<String> names) {
    Link link = core.machine().online();
    for (int i = 0; link != null && i < names.size(); i += IN_A_FRAME) {
      link.send(Frames.users(type, names.subList(i, Math.min(names.size(), i + IN_A_FRAME))));
    }
  }

  /** Puts in what fits into {@code room} characters; the rest follows the welcome. */
  void hello(ObjectNode hello, int room) {
    later.clear();
    List<String> fit = new ArrayList<>();
    int used = 0;
    for (String user : users) {
      used += user.length() + 3;
      if (used <= room) {
        fit.add(user);
      } else {
        later.add(user);
      }
    }
    if (!fit.isEmpty()) {
      ArrayNode list = hello.putArray("watch");
      fit.forEach(list::add);
    }
  }

  void welcome() {
    send("watch", List.copyOf(later));
    later.clear();
  }

  void presence(JsonNode frame) {
    Presence now =
        new Presence(
            frame.path("user").asText(),
            frame.path("status").asText(),
            frame.path("since").asLong(),
            frame.path("lastSeen").asLong());
    if (users.contains(now.user())) {
      last.put(now.user(), now);
      core.tell("presence", core.handlers().presence, now);
    }
  }

  void refused(JsonNode frame) {
    List<String> names = new ArrayList<>();
    frame.path("users").forEach(name -> names.add(name.asText()));
    if (frame.path("retryable").asBoolean()) {
      names.stream().filter(users::contains).forEach(later::add);
      if (!later.isEmpty() && !again.isSet()) {
        long toldMs = frame.path("retryAfterMs").asLong(RETRY_MS);
        again.set(Backoff.askedMs(toldMs, core.env().random()), this::welcome);
      }
    } else {
      names.forEach(users::remove);
      names.forEach(last::remove);
    }
  }

  /** The last that is known; null when nothing is. */
  @Nullable Presence last(String user) {
    return last.get(user);
  }

  void disconnected() {
    again.cancel();
  }

  void forget() {
    users.clear();
    later.clear();
    last.clear();
  }
}
