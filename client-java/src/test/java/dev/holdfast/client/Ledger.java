package dev.holdfast.client;

import dev.holdfast.client.rules.Json;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Writes down what the application was given and what the server took, and says what is wrong. */
final class Ledger {
  private final Map<String, TreeSet<Long>> lost = new HashMap<>();
  private final Map<String, Long> kept = new HashMap<>();
  private final Map<String, Long> tailsLost = new HashMap<>();
  private final Set<String> epochsLost = new HashSet<>();
  private final Map<String, Long> attempts = new HashMap<>();
  private final Map<Long, String> stored = new LinkedHashMap<>();
  private final Map<Long, CompletableFuture<Sent>> promises = new LinkedHashMap<>();
  private final Map<String, Integer> events = new HashMap<>();
  private final Set<String> msgIds = new HashSet<>();
  private final SimStore store;
  private String validToken = "token-0";
  private long lastLive;
  private String lastLiveLine = "";
  private long lastStored;
  private long eventsFrom = -1;
  private long lastEvent;
  private long eventsGoneTo;
  private boolean crashed;
  private boolean handlersFail;
  private @Nullable AssertionError first;

  Ledger(SimStore store) {
    this.store = store;
  }

  @SuppressWarnings("DoNotCallSuggester") // it is called for that
  void violation(String what) {
    if (first == null) {
      first = new AssertionError(what);
    }
    throw first;
  }

  /** What an application's handler finds is a failing handler to the client; here it counts. */
  void rethrow() {
    if (first != null) {
      throw first;
    }
  }

  // ---- the application

  /** {@code line}: seqs of another one have nothing to do with these. */
  void message(String line, Message message) {
    if (line.equals(lastLiveLine) && message.seq() <= lastLive && !crashed) {
      violation("message " + message.seq() + " after " + lastLive);
    }
    lastLive = message.seq();
    lastLiveLine = line;
    hand(message);
  }

  private void hand(Message message) {
    if (!msgIds.add(message.msgId()) && !crashed) {
      violation("twice: " + message);
    }
  }

  void history(History page) {
    String epoch = page.epoch();
    page.messages().forEach(this::hand);
    if (page.lost() != null) {
      for (long seq = page.lost().from() + 1; seq <= page.lost().to(); seq++) {
        boolean another = seq > tailsLost.getOrDefault(epoch, seq); // what the seq was, is gone
        if (!another || seq < kept.getOrDefault(epoch, 1L)) {
          lost.computeIfAbsent(epoch, e -> new TreeSet<>()).add(seq);
        }
      }
    }
  }

  void event(ChannelEvent event) {
    long position = Long.parseLong(event.position());
    if (!crashed && (position <= lastEvent || events.containsKey(event.position()))) {
      violation("event " + event.position() + " after " + lastEvent);
    }
    lastEvent = position;
    events.merge(event.position(), 1, Integer::sum);
  }

  void eventsFrom(long position) {
    if (eventsFrom < 0 || crashed) { // a process that died within a second had stored none
      eventsFrom = position;
    } else {
      violation("subscribed without its position");
    }
  }

  /** The application was told that events up to there may be missing. */
  void eventsGone(long position) {
    eventsGoneTo = Math.max(eventsGoneTo, position);
  }

  /** Of the last event that was handed over; null where there is none. */
  @Nullable String lastEvent() {
    return lastEvent == 0 ? null : "%06d".formatted(lastEvent);
  }

  void sends(long number, CompletableFuture<Sent> promise) {
    promises.put(number, promise);
  }

  /** The process ends: what it promised is open, what it had handled but not stored comes again. */
  void crash() {
    crashed = true;
    promises.values().removeIf(promise -> !promise.isDone());
  }

  boolean hasCrashed() {
    return crashed;
  }

  // ---- the server

  void epochLost(String epoch) {
    epochsLost.add(epoch);
  }

  /** What this epoch's numbers beyond {@code left} stood for has changed. */
  void tailLost(String epoch, long left) {
    tailsLost.merge(epoch, left, Math::min);
    lost.getOrDefault(epoch, new TreeSet<>()).removeIf(seq -> seq > left);
  }

  void kept(String epoch, long earliest) {
    kept.merge(epoch, earliest, Math::max);
  }

  void attempt(String clientId, long attempt) {
    Long before = attempts.put(clientId, attempt);
    if (before != null && attempt <= before && !store.hasFailed()) {
      violation("attempt " + attempt + " after " + before);
    }
  }

  void acked(String msgId) {
    if (!msgIds.contains(msgId)) {
      violation("acknowledged " + msgId + ", which the application has not got");
    }
  }

  void ackedUpTo(long seq) {
    String session = store.session();
    if (!store.hasFailed()
        && (session == null || Json.read(session).path("lastSeq").asLong() < seq)) {
      violation("acknowledged " + seq + ", which is not stored: " + session);
    }
  }

  boolean storeHasFailed() {
    return store.hasFailed();
  }

  void stored(String id, long number) {
    String before = stored.put(number, id);
    if (before != null) {
      violation("send " + number + " reached the server as " + before + " and as " + id);
    }
    if (number <= lastStored && !store.hasFailed()) {
      violation("send " + number + " after " + lastStored);
    }
    lastStored = Math.max(lastStored, number);
  }

  boolean isValid(String token) {
    return token.equals(validToken);
  }

  String validToken() {
    return validToken;
  }

  void newToken() {
    validToken = validToken + "'";
  }

  // ---- the end

  /** All that was accepted has come to where it belongs. */
  void check(String epoch, List<String> mailbox, long latestEvent, @Nullable String state) {
    if (!"ONLINE".equals(state)) {
      violation("the client has not come back: " + state);
    }
    TreeSet<Long> told = lost.getOrDefault(epoch, new TreeSet<>());
    boolean whole = !tailsLost.containsKey(epoch);
    for (long seq = 1; seq <= mailbox.size(); seq++) {
      boolean had = msgIds.contains(mailbox.get((int) seq - 1));
      if (!had && !told.contains(seq)) {
        violation("message " + seq + " of " + epoch + " was lost: " + mailbox.get((int) seq - 1));
      }
      if (had && told.contains(seq) && !crashed && whole) {
        violation("message " + seq + " was handed over and told to be lost");
      }
    }
    for (long seq : told) {
      if (!epochsLost.contains(epoch) && seq >= kept.getOrDefault(epoch, 1L) && whole) {
        violation("message " + seq + " was told to be lost, and is kept");
      }
    }
    for (long p = Math.max(eventsGoneTo, eventsFrom) + 1;
        eventsFrom >= 0 && p <= latestEvent;
        p++) {
      if (!events.containsKey("%06d".formatted(p))) {
        violation("event " + p + " was lost");
      }
    }
    promises.forEach(this::settled);
  }

  private void settled(long number, CompletableFuture<Sent> promise) {
    if (!promise.isDone()) {
      violation("send " + number + " was never answered");
    }
    boolean there = stored.containsKey(number);
    if (!promise.isCompletedExceptionally() && !there) {
      violation("send " + number + " was told to be sent, and is not");
    }
    if (promise.isCompletedExceptionally() && there) {
      Throwable error = promise.handle((sent, e) -> e).join();
      if (!(error instanceof NotSentException e && e.uncertain())) {
        violation("send " + number + " is there, and was told not to be: " + error);
      }
    }
  }

  boolean handlersFail() {
    return handlersFail;
  }

  void handlersFail(boolean now) {
    handlersFail = now;
  }
}
