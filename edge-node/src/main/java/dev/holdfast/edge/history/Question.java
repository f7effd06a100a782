package dev.holdfast.edge.history;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One place among the questions that an edge may have under way. Thread-safe. */
public final class Question {
  private final Queries queries;
  private final String id;
  private final String user;
  private final long askedMs;

  /** Emptied by the first answer, so that the time-out keeps nobody alive who was answered. */
  private final AtomicReference<@Nullable Asker> asker = new AtomicReference<>();

  Question(Queries queries, String id, String user, long askedMs) {
    this.queries = queries;
    this.id = id;
    this.user = user;
    this.askedMs = askedMs;
  }

  /**
   * Asks for what is kept behind {@code after}; to be called once.
   *
   * @param after a seq; 0: from the beginning
   * @param limit most messages, 1 to {@link dev.holdfast.record.Event.Query#MAX_LIMIT}
   * @param epoch the mailbox that is meant, or null
   * @param who is told how it ended
   * @return false when there is no room towards Kafka; then nobody is told anything
   */
  public boolean ask(long after, int limit, @Nullable String epoch, Asker who) {
    asker.set(who);
    return queries.ask(this, after, limit, epoch);
  }

  /** Gives the place back; an answer that comes later is dropped. Again: changes nothing. */
  public void close() {
    asker.set(null);
    queries.closed(this);
  }

  String id() {
    return id;
  }

  String user() {
    return user;
  }

  /** Monotonic milliseconds. */
  long askedMs() {
    return askedMs;
  }

  /** Tells the asker, unless somebody did; returns whether this call told. */
  boolean tell(Consumer<Asker> what) {
    Asker waiting = asker.getAndSet(null);
    if (waiting == null) {
      return false;
    }
    what.accept(waiting);
    return true;
  }
}
