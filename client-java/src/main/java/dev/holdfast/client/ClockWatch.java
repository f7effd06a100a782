package dev.holdfast.client;

/** Finds out that the machine slept, by a clock that jumped or a timer that is late. */
final class ClockWatch {
  private static final long EACH_MS = 5_000;
  private static final long JUMP_MS = 5_000;

  private final Env env;
  private final Runnable slept;
  private final Alarm next;
  private long lastWall;
  private long lastTick;

  ClockWatch(Env env, Runnable slept) {
    this.env = env;
    this.slept = slept;
    this.next = new Alarm(env);
  }

  void start() {
    lastWall = env.now();
    lastTick = env.tick();
    next.set(EACH_MS, this::look);
  }

  private void look() {
    long wall = env.now() - lastWall;
    long tick = env.tick() - lastTick;
    start();
    if (Math.abs(wall - tick) > JUMP_MS || tick > EACH_MS + JUMP_MS) {
      slept.run();
    }
  }

  void stop() {
    next.cancel();
  }
}
