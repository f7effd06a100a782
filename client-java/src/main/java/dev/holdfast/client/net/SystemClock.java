package dev.holdfast.client.net;

import dev.holdfast.client.port.Clock;
import java.util.concurrent.TimeUnit;

/** The clocks of the machine. */
public final class SystemClock implements Clock {
  @Override
  public long wallMs() {
    return System.currentTimeMillis();
  }

  @Override
  public long tickMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
