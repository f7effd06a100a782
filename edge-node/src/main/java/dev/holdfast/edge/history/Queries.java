package dev.holdfast.edge.history;

import dev.holdfast.edge.session.EdgeCounters;
import dev.holdfast.edge.session.EdgeIdentity;
import dev.holdfast.edge.session.EventSink;
import dev.holdfast.edge.session.Later;
import dev.holdfast.record.Event;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads mailboxes by way of the log (D7): a question is an event of the mailbox's user, and its
 * answer comes on this edge's partition of deliveries, in the order of the log. So an answer holds
 * everything that was stored before it was asked for, whichever streams instance gives it. With a
 * hot pair two come, and the second finds nobody who waits.
 *
 * <p>What is under way is bounded, and with the time-out also what can be appended while nobody
 * answers. Thread-safe; nothing blocks.
 */
public final class Queries {
  /**
   * Milliseconds until an answer is given up: the death of a streams instance (5-8 s) is waited
   * out.
   */
  public static final long TIMEOUT_MS = 10_000;

  /** Questions under way at once on one edge. */
  public static final int MOST = 128;

  private final EventSink sink;
  private final EdgeIdentity identity;
  private final EdgeCounters counters;
  private final Later later;
  private final LongSupplier ticker;
  private final Map<String, Question> open = new ConcurrentHashMap<>();
  private final AtomicInteger places = new AtomicInteger();
  private final AtomicLong asked = new AtomicLong();

  /**
   * @param ticker monotonic milliseconds
   */
  public Queries(
      EventSink sink,
      EdgeIdentity identity,
      EdgeCounters counters,
      Later later,
      LongSupplier ticker) {
    this.sink = sink;
    this.identity = identity;
    this.counters = counters;
    this.later = later;
    this.ticker = ticker;
  }

  /**
   * Takes a place for a question about a mailbox. Whoever gets one closes it, answered or not.
   *
   * @return null when {@link #MOST} are under way
   */
  public @Nullable Question open(String user) {
    if (places.incrementAndGet() > MOST) {
      places.decrementAndGet();
      return null;
    }
    String id = identity.current().incarnation() + "-q" + asked.incrementAndGet();
    Question question = new Question(this, id, user, ticker.getAsLong());
    open.put(id, question);
    return question;
  }

  boolean ask(Question question, long after, int limit, @Nullable String epoch) {
    Event event = new Event.Query(question.id(), identity.current(), after, limit, epoch);
    boolean taken =
        sink.offer(
            List.of(question.user()),
            event,
            stored -> {
              if (!stored) {
                question.tell(Asker::notStored);
              }
            });
    if (taken) {
      later.run(TIMEOUT_MS, () -> giveUp(question));
    }
    return taken;
  }

  private void giveUp(Question question) {
    if (question.tell(Asker::unanswered)) {
      counters.queriesUnanswered.increment();
    }
  }

  void closed(Question question) {
    if (open.remove(question.id(), question)) {
      places.decrementAndGet();
    }
  }

  /**
   * An answer came.
   *
   * @param user the record's key; whoever wrote a query with the id of another user's gets nothing
   *     to its asker
   */
  public void answered(String id, String user, byte[] page) {
    Question question = open.get(id);
    if (question == null) {
      counters.repeatsDropped.increment();
    } else if (!question.user().equals(user)) {
      counters.deliveriesMisaddressed.increment();
    } else if (question.tell(waiting -> waiting.answered(page))) {
      counters.toAnswer.recordMs(ticker.getAsLong() - question.askedMs());
    }
  }
}
