package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.CloseCode;
import dev.holdfast.client.rules.Frames;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.rules.Outbox;
import dev.holdfast.client.rules.Outbox.Entry;
import dev.holdfast.client.rules.StoredEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the application, from {@code send} to {@code sent}. An entry goes out once the store
 * has it together with the time of that first sending, so that no later process takes it for one
 * that was never sent. Used on the loop only.
 */
final class Sender {
  private static final int PAYLOAD_BYTES = 65_536;
  private static final long DEDUP_WINDOW_MS = 86_400_000;
  private static final long RETRY_MS = 1_000;

  /**
   * One that came before it was known whose the outbox is.
   *
   * @param id the application's own, or null
   */
  private record Early(
      String to, String payload, @Nullable String id, CompletableFuture<Sent> promise) {}

  private final Core core;
  private final Outbox outbox = new Outbox();
  private final Map<String, CompletableFuture<Sent>> promises = new HashMap<>();
  private final IdentityHashMap<Entry, Long> saving = new IdentityHashMap<>();
  private final ArrayDeque<Early> early = new ArrayDeque<>();
  private final Alarm pause;
  private int payloadBytes = PAYLOAD_BYTES;
  private long dedupWindowMs = DEDUP_WINDOW_MS;

  Sender(Core core) {
    this.core = core;
    this.pause = new Alarm(core.env());
  }

  /** {@code to} and {@code payload} are JSON; {@code id} the application's own clientMsgId. */
  void send(String to, String payload, @Nullable String id, CompletableFuture<Sent> promise) {
    int bytes = payload.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > payloadBytes) {
      String text = "the payload has " + bytes + " bytes, the server takes " + payloadBytes;
      promise.completeExceptionally(new NotSentException("payload_too_large", false, text));
      return;
    }
    if (core.loader().loaded()) {
      add(new Early(to, payload, id, promise));
      return;
    }
    early.add(new Early(to, payload, id, promise));
    if (early.size() > core.options().outboxMax()) {
      dropEarly(early.remove(), "overflow");
    }
    if (core.loader().canLoad()) {
      CompletableFuture<?> unused = core.loader().load(core.loader().token());
    }
  }

  private void add(Early sent) {
    String id = sent.id() != null ? sent.id() : Session.randomId(core.env().random());
    CompletableFuture<Sent> same = promises.get(id);
    Entry before = outbox.get(id);
    if (before != null
        && before.to().equals(sent.to())
        && before.payload().equals(sent.payload())) {
      follow(sent.promise(), same == null ? promise(id) : same);
      return;
    }
    if (before != null) {
      reject(sent.promise(), "id_conflict", false);
      return;
    }
    outbox.add(id, sent.to(), sent.payload(), core.env().now());
    promises.put(id, sent.promise());
    outbox.overflow(core.options().outboxMax()).forEach(entry -> dropped(entry, "overflow"));
    pump();
  }

  /** The same message once more: both promises mean the one entry. */
  private static void follow(CompletableFuture<Sent> second, CompletableFuture<Sent> first) {
    CompletableFuture<?> unused =
        first.whenComplete(
            (sent, error) -> {
              if (error == null) {
                second.complete(sent);
              } else {
                second.completeExceptionally(error);
              }
            });
  }

  private CompletableFuture<Sent> promise(String id) {
    return promises.computeIfAbsent(id, i -> new CompletableFuture<>());
  }

  /**
   * Takes what the store has; {@code renamed}: under another {@code clientId}, so that the server
   * does not know again what was sent before.
   *
   * @return the keys of what cannot be read
   */
  List<String> loaded(Map<String, String> values, String prefix, boolean renamed) {
    List<String> unreadable = StoredEntry.readAll(outbox, values, prefix);
    if (renamed) {
      outbox.attempted().forEach(entry -> dropped(entry, "uncertain"));
    }
    while (!early.isEmpty()) {
      add(early.remove());
    }
    return unreadable;
  }

  private String key(Entry entry) {
    return core.loader().key("out/%012d".formatted(entry.number()));
  }

  // ---- out

  private void pump() {
    Link link = core.machine().online();
    List<Entry> due = link == null || pause.isSet() ? List.of() : outbox.due();
    due.forEach(entry -> entry.attempted(core.env().now(), core.env().tick()));
    save();
    for (Entry entry : due) {
      if (link == null || link.isOver() || !entry.saved()) {
        return;
      }
      if (outbox.underWay(entry)) {
        core.counters().resent.increment();
      }
      link.send(Frames.send(entry));
    }
  }

  private void save() {
    IdentityHashMap<Entry, Long> now = new IdentityHashMap<>();
    for (Entry entry : outbox.all()) {
      Long under = saving.get(entry);
      if (!entry.saved() && (under == null || under != entry.firstSentAt())) {
        now.put(entry, entry.firstSentAt());
        core.keeper().put(key(entry), StoredEntry.write(entry));
      }
    }
    if (!now.isEmpty()) {
      saving.putAll(now);
      core.keeper().whenTried(ok -> saved(now));
    }
  }

  /** Also when the store failed: then the entry is in memory only, and goes out all the same. */
  private void saved(IdentityHashMap<Entry, Long> tried) {
    tried.forEach(
        (entry, sentAt) -> {
          if (saving.remove(entry, sentAt)) {
            entry.saved(true);
          }
        });
    pump();
  }

  void welcome(JsonNode limits) {
    payloadBytes = limits.path("payloadBytes").asInt(PAYLOAD_BYTES);
    dedupWindowMs = limits.path("dedupWindowMs").asLong(DEDUP_WINDOW_MS);
    again();
  }

  private void again() {
    outbox
        .uncertain(core.env().now(), core.env().tick(), dedupWindowMs)
        .forEach(entry -> dropped(entry, "uncertain"));
    pump();
  }

  // ---- answers

  void sent(JsonNode frame) {
    Entry entry = outbox.remove(frame.path("clientMsgId").asText());
    if (entry == null) {
      return; // again, or of one that was dropped
    }
    core.keeper().delete(key(entry));
    core.counters().sent.increment();
    Sent sent = new Sent(entry.clientMsgId(), frame.path("msgId").asText());
    CompletableFuture<Sent> promise = promises.remove(entry.clientMsgId());
    core.tell("sent", core.handlers().sent, sent);
    settle(() -> complete(promise, sent));
    pump();
  }

  private static void complete(@Nullable CompletableFuture<Sent> promise, Sent sent) {
    if (promise != null) {
      promise.complete(sent);
    }
  }

  /** What the application hangs on a promise runs where its handlers do, not on the loop. */
  private void settle(Runnable work) {
    core.onApp(work);
  }

  void refused(Link link, JsonNode frame) {
    String id = frame.path("clientMsgId").asText();
    Entry entry = outbox.get(id);
    if (entry == null) {
      return;
    }
    if (!frame.path("retryable").asBoolean()) {
      outbox.remove(id);
      dropped(entry, frame.path("code").asText());
      pump();
      return;
    }
    outbox.refused(entry);
    if (!pause.isSet()) {
      long wait = frame.path("retryAfterMs").asLong(RETRY_MS);
      pause.set(Backoff.tenthMs(Math.max(1, wait), core.env().random()), this::again);
    }
  }

  private void dropped(Entry entry, String reason) {
    core.keeper().delete(key(entry));
    saving.remove(entry);
    boolean uncertain = entry.firstSentAt() != 0 && !isRefusal(reason);
    tellDropped(entry.clientMsgId(), entry.to(), entry.payload(), reason, uncertain);
    reject(promises.remove(entry.clientMsgId()), reason, uncertain);
    Link link = core.machine().online();
    if (entry.refused() && link != null) {
      // the server may refuse all others until this one comes again, which it will not
      core.machine().abandon(link, CloseCode.LEFT, "refused_and_dropped");
    }
  }

  private static boolean isRefusal(String reason) {
    return !List.of("overflow", "uncertain", "logged_out").contains(reason);
  }

  private void dropEarly(Early gone, String reason) {
    tellDropped(gone.id() == null ? "" : gone.id(), gone.to(), gone.payload(), reason, false);
    reject(gone.promise(), reason, false);
  }

  private void tellDropped(String id, String to, String payload, String reason, boolean uncertain) {
    core.counters().dropped.increment();
    Dropped dropped = new Dropped(id, Json.read(to), Json.read(payload), reason, uncertain);
    core.tell("dropped", core.handlers().dropped, dropped);
  }

  private void reject(@Nullable CompletableFuture<Sent> promise, String reason, boolean uncertain) {
    if (promise != null) {
      String text = "not sent: " + reason + (uncertain ? "; it may have arrived" : "");
      NotSentException error = new NotSentException(reason, uncertain, text);
      settle(() -> promise.completeExceptionally(error));
    }
  }

  void disconnected() {
    outbox.disconnected();
    pause.cancel();
  }

  void forget() {
    outbox.disconnected();
    List<Entry> all = outbox.all();
    outbox.clear();
    saving.clear();
    all.forEach(entry -> dropped(entry, "logged_out"));
    while (!early.isEmpty()) {
      dropEarly(early.remove(), "logged_out");
    }
    promises.clear();
  }
}
