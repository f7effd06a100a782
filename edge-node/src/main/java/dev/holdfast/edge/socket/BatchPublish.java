package dev.holdfast.edge.socket;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.JsonIo;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.edge.session.SessionContext;
import dev.holdfast.frame.BadFrame;
import dev.holdfast.frame.BatchReader;
import dev.holdfast.frame.ErrorCode;
import dev.holdfast.frame.Publish;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One batch over HTTP: its messages are offered in order, each is accepted or refused by itself,
 * and the answer goes out when all are decided. It is not a transaction. What is kept is the order:
 * once a message found no room, the later ones are not tried, so that sending the refused ones
 * again overtakes nothing.
 */
final class BatchPublish implements Runnable {
  private static final String KEY_RULE = "idempotencyKey" + PublishHeaders.KEY_RULE;

  /** What became of one message: its id, or what was wrong. */
  private record Result(
      @Nullable String msgId, int status, String code, String detail, @Nullable String channel) {
    boolean retryable() {
      return msgId == null && status == StatusCodes.SERVICE_UNAVAILABLE;
    }
  }

  private final SessionContext context;
  private final List<BatchReader.Item> items;
  private final @Nullable String batchKey;
  private final @Nullable Credential sender;
  private final AtomicReference<@Nullable HttpServerExchange> open;
  private final AtomicReferenceArray<@Nullable Result> results;
  private final AtomicInteger undecided;

  /**
   * @param batchKey the request's own idempotency key; a message without one has this, a colon and
   *     its place
   */
  BatchPublish(
      SessionContext context,
      HttpServerExchange exchange,
      List<BatchReader.Item> items,
      @Nullable String batchKey) {
    this.context = context;
    this.items = items;
    this.batchKey = batchKey;
    this.sender = BearerAuth.of(exchange);
    this.open = new AtomicReference<>(exchange);
    this.results = new AtomicReferenceArray<>(items.size());
    this.undecided = new AtomicInteger(items.size());
  }

  /** Offers all. Runs on the exchange's I/O thread, after its dispatch. */
  @Override
  public void run() {
    Set<String> keys = new HashSet<>();
    boolean room = true;
    for (int i = 0; i < items.size(); i++) {
      if (room) {
        room = one(i, keys);
      } else {
        decide(i, busy("an earlier message of the batch found no room"));
      }
    }
    context
        .later()
        .run(HttpApi.PUBLISH_TIMEOUT_MS, () -> HttpApi.answer(open, exchange -> answer(exchange)));
  }

  /** Returns whether there was room. */
  private boolean one(int place, Set<String> keys) {
    BatchReader.Item item = items.get(place);
    String unfit = item.wrong();
    if (unfit != null) {
      decide(place, wrong(ErrorCode.BAD_FRAME, unfit));
      return true;
    }
    String key = key(item, place);
    if (!PublishHeaders.isKey(key)) {
      decide(place, wrong(ErrorCode.BAD_FRAME, KEY_RULE));
      return true;
    }
    if (!keys.add(key)) {
      decide(place, wrong(ErrorCode.BAD_FRAME, "its idempotency key occurs twice in the batch"));
      return true;
    }
    if (item.json().size() > context.limits().frameBytes()) {
      decide(place, wrong(ErrorCode.PAYLOAD_TOO_LARGE, "the message is too large"));
      return true;
    }
    try {
      Publish read = context.reader().readPublish(item.json().utf8());
      Publish allowed = BearerAuth.allowed(sender, read);
      if (allowed != null) {
        return offer(place, allowed, key);
      }
      decide(place, wrong(ErrorCode.FORBIDDEN, BearerAuth.NOT_TO_THESE));
      return true;
    } catch (BadFrame e) {
      decide(place, refused(e.code(), e.text(), e.channel()));
      return true;
    }
  }

  private boolean offer(int place, Publish publish, String key) {
    Result accepted = new Result(Deposit.msgId(publish, key), StatusCodes.ACCEPTED, "", "", null);
    AtomicBoolean full = new AtomicBoolean();
    Deposit.offer(
        context,
        publish,
        key,
        new Channels.Published() {
          @Override
          public void stored() {
            decide(place, accepted);
          }

          @Override
          public void refused(ErrorCode code, String why) {
            full.set(code == ErrorCode.OVERLOADED);
            decide(
                place,
                code.retryable()
                    ? tryLater(code, why)
                    : BatchPublish.refused(code, why, publish.channel()));
          }
        });
    return !full.get();
  }

  private String key(BatchReader.Item item, int place) {
    String own = item.key();
    if (own != null) {
      return own;
    }
    return batchKey == null ? UUID.randomUUID().toString() : batchKey + ':' + place;
  }

  private void decide(int place, Result result) {
    results.set(place, result);
    if (undecided.decrementAndGet() == 0) {
      HttpApi.answer(open, this::answer);
    }
  }

  /** Answers with what is decided; the time-out comes when some are not. */
  private void answer(HttpServerExchange exchange) {
    boolean accepted = false;
    boolean retryable = false;
    for (int i = 0; i < results.length(); i++) {
      accepted |= result(i).msgId() != null;
      retryable |= result(i).retryable();
    }
    if (accepted) {
      byte[] body =
          JsonIo.write(
              out -> {
                out.writeStartObject();
                write(out);
                out.writeEndObject();
              });
      Problem.json(exchange, StatusCodes.ACCEPTED, "application/json", body);
    } else if (retryable) {
      exchange.getResponseHeaders().put(Headers.RETRY_AFTER, HttpApi.RETRY_AFTER_S);
      refuse(exchange, StatusCodes.SERVICE_UNAVAILABLE, ErrorCode.OVERLOADED);
    } else {
      refuse(exchange, StatusCodes.BAD_REQUEST, ErrorCode.BAD_FRAME);
    }
  }

  private void refuse(HttpServerExchange exchange, int status, ErrorCode code) {
    Problem.answer(
        exchange,
        status,
        code.wire(),
        "none of the messages was accepted; see results",
        this::write);
  }

  private void write(JsonGenerator out) throws IOException {
    out.writeArrayFieldStart("results");
    for (int i = 0; i < results.length(); i++) {
      Result result = result(i);
      out.writeStartObject();
      if (result.msgId() != null) {
        out.writeStringField("msgId", result.msgId());
      } else {
        out.writeObjectFieldStart("error");
        out.writeNumberField("index", i);
        out.writeNumberField("status", result.status());
        out.writeStringField("code", result.code());
        out.writeStringField("detail", result.detail());
        out.writeBooleanField("retryable", result.retryable());
        if (result.channel() != null) {
          out.writeStringField("channel", result.channel());
        }
        out.writeEndObject();
      }
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private Result result(int place) {
    Result decided = results.get(place);
    return decided == null ? busy("Kafka has not answered yet") : decided;
  }

  private static Result wrong(ErrorCode code, String detail) {
    return refused(code, detail, null);
  }

  private static Result refused(ErrorCode code, String detail, @Nullable String channel) {
    return new Result(null, Problem.status(code), code.wire(), detail, channel);
  }

  private static Result busy(String detail) {
    return tryLater(ErrorCode.OVERLOADED, detail);
  }

  private static Result tryLater(ErrorCode code, String detail) {
    return new Result(null, StatusCodes.SERVICE_UNAVAILABLE, code.wire(), detail, null);
  }
}
