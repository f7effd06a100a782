package dev.holdfast.client;

import dev.holdfast.client.rules.Backoff;

/** Parameters for kinds of networks. */
public enum Preset {
  /** 500 ms to 10 s; a heartbeat each 30 s at most. */
  LAN(500, 10_000, 30_000),
  /** 1 s to 30 s; 18 s. */
  MOBILE(1_000, 30_000, 18_000),
  /** 2 s to 60 s; 12 s. */
  WEAK(2_000, 60_000, 12_000),
  /** 1 s to 30 s; 30 s. The default. */
  WEB(1_000, 30_000, 30_000);

  private final long baseMs;
  private final long capMs;
  private final long heartbeatMs;

  Preset(long baseMs, long capMs, long heartbeatMs) {
    this.baseMs = baseMs;
    this.capMs = capMs;
    this.heartbeatMs = heartbeatMs;
  }

  public Backoff backoff() {
    return Backoff.of(baseMs, capMs);
  }

  /** The longest time between two heartbeats, in ms. */
  public long heartbeatMs() {
    return heartbeatMs;
  }
}
