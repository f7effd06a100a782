package dev.holdfast.edge.socket;

import dev.holdfast.edge.admission.Admission;
import dev.holdfast.edge.admission.Refusal;
import dev.holdfast.edge.history.Asker;
import dev.holdfast.edge.history.Queries;
import dev.holdfast.edge.history.Question;
import dev.holdfast.edge.session.Later;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.HistoryPage;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.SameThreadExecutor;
import io.undertow.util.StatusCodes;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;

/**
 * {@code GET /v1/history}: a page of a mailbox. A request has a place among the questions under way
 * until its answer has gone out, and a client that does not read its answer loses the connection,
 * so neither the dead nor the slow keep one for long. No I/O thread waits.
 */
final class HistoryApi implements HttpHandler {
  /** Milliseconds in which a client must have read its answer. */
  static final long READ_MS = 10_000;

  private final SessionContext context;
  private final Queries queries;
  private final Admission admission;
  private final BearerAuth auth;

  HistoryApi(SessionContext context, Queries queries, Admission admission) {
    this.context = context;
    this.queries = queries;
    this.admission = admission;
    this.auth = new BearerAuth(context.access(), context.counters());
  }

  @Override
  public void handleRequest(HttpServerExchange exchange) {
    if (!HttpApi.isRead(exchange)) {
      HttpApi.methodNotAllowed(exchange, "GET, HEAD");
      return;
    }
    try {
      HistoryRequest request = HistoryRequest.of(exchange);
      String user = auth.admitsHistory(exchange, request.user());
      if (user != null && keepsPace(exchange, user)) {
        open(exchange, user, request);
      }
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage());
      Problem.answer(exchange, StatusCodes.BAD_REQUEST, ErrorCode.BAD_FRAME.wire(), why);
    }
  }

  private boolean keepsPace(HttpServerExchange exchange, String user) {
    long waitMs = admission.history(user);
    if (waitMs > 0) {
      context.counters().turnedAway(Refusal.HISTORY_RATE).increment();
      Problem.retryLater(
          exchange,
          Refusal.HISTORY_RATE.status(),
          (int) (waitMs / 1_000) + 1,
          ErrorCode.RATE_LIMITED.wire(),
          "this user's history is read too fast");
    }
    return waitMs == 0;
  }

  private void open(HttpServerExchange exchange, String user, HistoryRequest request) {
    Question question = queries.open(user);
    if (question == null) {
      busy(exchange, "too many requests for histories are under way");
      return;
    }
    exchange.addExchangeCompleteListener(
        (ended, next) -> {
          question.close();
          next.proceed();
        });
    exchange.dispatch(SameThreadExecutor.INSTANCE, () -> ask(exchange, question, request));
  }

  private void ask(HttpServerExchange exchange, Question question, HistoryRequest request) {
    boolean taken =
        question.ask(
            request.after(),
            request.limit(),
            request.epoch(),
            new Waiting(exchange, request.epoch()));
    if (!taken) {
      busy(exchange, "the queue towards Kafka is full");
    }
  }

  private static void busy(HttpServerExchange exchange, String why) {
    Problem.retryLater(exchange, HttpApi.RETRY_AFTER_S, ErrorCode.OVERLOADED.wire(), why);
  }

  /** One exchange without its answer. */
  private final class Waiting implements Asker {
    private final HttpServerExchange exchange;
    private final @Nullable String epoch;

    Waiting(HttpServerExchange exchange, @Nullable String epoch) {
      this.exchange = exchange;
      this.epoch = epoch;
    }

    @Override
    public void answered(byte[] page) {
      answer(asked -> page(asked, page));
    }

    @Override
    public void notStored() {
      answer(
          asked ->
              Problem.retryLater(
                  asked,
                  HttpApi.RETRY_AFTER_S,
                  ErrorCode.NOT_STORED.wire(),
                  "Kafka refused the question"));
    }

    @Override
    public void unanswered() {
      answer(asked -> busy(asked, "the log has not answered yet"));
    }

    private void answer(Consumer<HttpServerExchange> how) {
      HttpApi.answer(
          new AtomicReference<>(exchange),
          asked -> {
            how.accept(asked);
            dropUnlessRead(asked, context.later(), READ_MS);
          });
    }

    private void page(HttpServerExchange asked, byte[] page) {
      try {
        String current = epoch == null ? null : HistoryPage.epochOf(page);
        if (epoch == null || epoch.equals(current)) {
          Problem.json(asked, StatusCodes.OK, "application/json", page);
        } else {
          otherEpoch(asked, current);
        }
      } catch (BadRecord e) {
        context.counters().deliveriesUnreadable.increment();
        busy(asked, "the answer could not be read");
      }
    }
  }

  private static void otherEpoch(HttpServerExchange exchange, @Nullable String current) {
    Problem.answer(
        exchange,
        StatusCodes.CONFLICT,
        "other_epoch",
        "the mailbox has another epoch than the one asked for: its seqs are not the same",
        out -> out.writeStringField("epoch", current));
  }

  /**
   * Drops the connection of a client that has not read its answer some time from now.
   *
   * @param readMs how long that may take, in milliseconds
   */
  static void dropUnlessRead(HttpServerExchange exchange, Later later, long readMs) {
    if (!exchange.isComplete()) {
      later.run(readMs, () -> expire(exchange));
    }
  }

  private static void expire(HttpServerExchange exchange) {
    try {
      exchange.getIoThread().execute(() -> drop(exchange));
    } catch (RejectedExecutionException e) {
      // The node is stopping and its sockets are gone.
    }
  }

  private static void drop(HttpServerExchange exchange) {
    if (!exchange.isComplete()) {
      IoUtils.safeClose(exchange.getConnection());
      exchange.endExchange();
    }
  }
}
