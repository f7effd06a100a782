package dev.holdfast.client.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A body of text that is given up, with an error, when it is longer than a page can be. */
final class BoundedBody implements BodySubscriber<String> {
  private final int mostBytes;
  private final CompletableFuture<String> text = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  BoundedBody(int mostBytes) {
    this.mostBytes = mostBytes;
  }

  @Override
  public CompletionStage<String> getBody() {
    return text;
  }

  @Override
  public void onSubscribe(Flow.Subscription now) {
    subscription = now;
    now.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> some) {
    for (ByteBuffer next : some) {
      if (next.remaining() > mostBytes - bytes.size()) {
        tooMuch();
        return;
      }
      byte[] part = new byte[next.remaining()];
      next.get(part);
      bytes.write(part, 0, part.length);
    }
  }

  private void tooMuch() {
    if (subscription != null) {
      subscription.cancel();
    }
    text.completeExceptionally(
        new IOException("the answer is longer than " + mostBytes + " bytes: no page of a server"));
  }

  @Override
  public void onError(Throwable error) {
    text.completeExceptionally(error);
  }

  @Override
  public void onComplete() {
    text.complete(bytes.toString(StandardCharsets.UTF_8));
  }
}
