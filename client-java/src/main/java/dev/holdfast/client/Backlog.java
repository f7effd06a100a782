package dev.holdfast.client;

import dev.holdfast.client.port.HttpAnswer;
import dev.holdfast.client.rules.Backoff;
import dev.holdfast.client.rules.Json;
import dev.holdfast.client.rules.Owed;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is owed from history, a page at a time, and hands it over. A page is asked for only
 * while connected, when the one before is through and no message of before the last {@code welcome}
 * is in its handler, which could be in the page too. Used on the loop only.
 */
final class Backlog {
  static final int PAGE = 200;

  private final Core core;
  private final Handing<History> handing;
  private final Alarm again;
  private boolean asking;
  private int failures;
  private boolean refused;

  /** What was asked for, or is in the handler, since before it last grew says nothing any more. */
  private long era;

  Backlog(Core core) {
    this.core = core;
    this.handing = new Handing<>(core, "history", () -> core.handlers().history);
    this.again = new Alarm(core.env());
  }

  /** Goes on where there is something to do and nothing is under way. */
  void go() {
    Owed owed = core.session().owed;
    boolean ready = core.machine().online() != null && !asking && !again.isSet();
    boolean free = !handing.busy() && !core.inbox().finishesEarlierOne();
    if (owed.isEmpty() || !ready || !free || !handing.hasHandler()) {
      return;
    }
    Owed.Range first = owed.first();
    if (!first.epoch().equals(core.session().epoch)) {
      lost(first); // nobody has it any more
    } else if (!refused) {
      ask(first);
    }
  }

  private void ask(Owed.Range range) {
    asking = true;
    long mine = era;
    String path = core.http().historyPath(range.from(), range.epoch(), PAGE);
    CompletableFuture<?> unused =
        core.http()
            .get(path)
            .whenCompleteAsync(
                (answer, error) -> {
                  if (mine == era) {
                    asking = false;
                    answered(range, answer, error);
                  }
                },
                core.env().loop());
  }

  private void answered(Owed.Range range, @Nullable HttpAnswer answer, @Nullable Throwable error) {
    Owed owed = core.session().owed;
    if (owed.isEmpty() || !startsSo(owed.first(), range) || core.inbox().finishesEarlierOne()) {
      go(); // it has changed meanwhile
      return;
    }
    if (answer == null || error != null) {
      failed("unreachable", -1);
    } else if (answer.status() == 409 && Http.code(answer).equals("other_epoch")) {
      lost(range);
    } else if (answer.status() != 200) {
      refused = answer.status() / 100 == 4 && answer.status() != 408 && answer.status() != 429;
      failed("http_" + answer.status(), answer.retryAfterMs());
    } else {
      page(owed.first(), answer.body());
    }
  }

  private static boolean startsSo(Owed.Range now, Owed.Range asked) {
    return now.epoch().equals(asked.epoch()) && now.from() == asked.from();
  }

  private void page(Owed.Range range, String body) {
    HistoryPage page;
    try {
      page = Http.page(Json.read(body));
    } catch (IllegalArgumentException e) {
      failed("bad_page", -1);
      return;
    }
    failures = 0;
    List<Message> inRange =
        page.messages().stream()
            .filter(m -> m.seq() > range.from() && m.seq() <= range.to())
            .toList();
    boolean nothing = inRange.isEmpty();
    long to = nothing ? range.to() : inRange.get(inRange.size() - 1).seq();
    long first = nothing ? range.to() + 1 : inRange.get(0).seq();
    History.Lost lost = first > range.from() + 1 ? new History.Lost(range.from(), first - 1) : null;
    List<Message> fresh =
        inRange.stream().filter(m -> !core.session().seen.contains(m.msgId())).toList();
    core.counters().duplicates.add(inRange.size() - fresh.size());
    hand(range, fresh, lost, to);
  }

  private void lost(Owed.Range range) {
    hand(range, List.of(), new History.Lost(range.from(), range.to()), range.to());
  }

  private void hand(
      Owed.Range range, List<Message> messages, History.@Nullable Lost lost, long to) {
    boolean more = to < range.to() || core.session().owed.ranges().size() > 1;
    long mine = era;
    handing.hand(
        new History(range.toldEpoch(), messages, range.from(), to, lost, more),
        done -> through(mine, range.epoch(), done));
  }

  private void through(long of, String epoch, History done) {
    Session session = core.session();
    if (of == era) {
      session.owed = session.owed.minus(epoch, done.from(), done.to());
    }
    for (Message message : done.messages()) {
      core.inbox().seen(message.msgId());
      core.counters().received.increment();
    }
    core.inbox().store();
    go();
  }

  private void failed(String reason, long retryAfterMs) {
    if (core.machine().online() == null) {
      return; // with the next connection
    }
    long planned = core.options().backoff().delayMs(failures++, core.env().random());
    long asked = retryAfterMs < 0 ? 0 : Backoff.tenthMs(retryAfterMs, core.env().random());
    again.set(Math.max(planned, asked), this::go);
    core.telemetry("history_failed").delay(Math.max(planned, asked)).reason(reason).tell();
  }

  void disconnected() {
    again.cancel();
    failures = 0;
    refused = false;
  }

  void pause() {
    handing.pause();
    again.cancel();
  }

  void resume() {
    handing.resume();
    go();
  }

  /** The same seqs stand for other messages now; those that the application has are known by id. */
  void renumbered() {
    era++;
    asking = false;
  }

  void forget() {
    era++;
    asking = false;
    handing.forget();
    again.cancel();
  }
}
