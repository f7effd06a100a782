package dev.holdfast.edge.channel;

import dev.holdfast.edge.session.Channels;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A question that is counted until it is answered, or nobody waits any more. */
final class CountedPast implements Channels.Past {
  private final Channels.Past to;
  private final AtomicInteger open;
  private final AtomicBoolean counted = new AtomicBoolean(true);

  CountedPast(Channels.Past to, AtomicInteger open) {
    this.to = to;
    this.open = open;
  }

  @Override
  public void events(List<byte[]> events, String position, boolean more, @Nullable String lost) {
    done();
    to.events(events, position, more, lost);
  }

  @Override
  public void unavailable(String why) {
    done();
    to.unavailable(why);
  }

  @Override
  public boolean gone() {
    if (to.gone()) {
      done();
      return true;
    }
    return false;
  }

  private void done() {
    if (counted.compareAndSet(true, false)) {
      open.decrementAndGet();
    }
  }
}
