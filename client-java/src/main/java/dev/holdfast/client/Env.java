package dev.holdfast.client;

import dev.holdfast.client.port.Clock;
import dev.holdfast.client.port.Timers;
import dev.holdfast.client.port.Transport;
import dev.holdfast.client.store.Store;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The world around a client: real, or made up by a test.
 *
 * @param loop runs one task at a time, in order: all of the client's own work
 * @param app runs what belongs to the application
 */
record Env(
    Executor loop,
    Executor app,
    Clock clock,
    Timers timers,
    RandomGenerator random,
    Transport transport,
    Store store) {
  long now() {
    return clock.wallMs();
  }

  long tick() {
    return clock.tickMs();
  }
}
