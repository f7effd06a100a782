import type { Clock } from '../types.js';
import type { Timers } from './timers.js';

export interface HeartbeatTimes {
  intervalMs: number;
  timeoutMs: number;
  misses: number;
}

/** Whose connection it is. */
export interface HeartbeatOwner {
  ping(): void;
  /** A ping was not answered in time. */
  missed(): void;
  dead(): void;
}

/** A timer that ran so much after its time says that the process slept: no miss. */
const LATE_MS = 1000;

/**
 * Asks whether the connection lives: `ping` after `intervalMs` without a frame to the server or one
 * from it, at most one unanswered at a time; any frame from the server is an answer. One timer serves it all; frames in and out only
 * leave marks for it.
 */
export class Heartbeat {
  private times!: HeartbeatTimes;
  private sent = 0;
  private came = 0;
  private asked = false;
  private heard = false;

  constructor(
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly owner: HeartbeatOwner,
  ) {}

  start(times: HeartbeatTimes): void {
    this.times = times;
    this.asked = false;
    this.sent = this.came = this.clock.mono();
    this.arm();
  }

  stop(): void {
    this.timers.clear('heartbeat');
  }

  frameSent(): void {
    this.sent = this.clock.mono();
  }

  frameCame(): void {
    this.came = this.clock.mono();
    this.heard = true;
  }

  /** Asks now, and takes the connection for dead when nothing comes within `limitMs`. */
  probe(limitMs: number): void {
    const missed = this.times.misses - 1;
    if (!this.asked || this.heard) this.ask(limitMs, missed);
    else this.expect(limitMs, missed);
  }

  /** Counted from the frame in either direction that is longer ago: who only sends would notice nothing. */
  private arm(): void {
    const left = Math.min(this.sent, this.came) + this.times.intervalMs - this.clock.mono();
    if (left > 0) this.timers.set('heartbeat', left, () => this.arm());
    else this.ask(this.times.timeoutMs, 0);
  }

  private ask(limitMs: number, missed: number): void {
    this.asked = true;
    this.heard = false;
    this.expect(limitMs, missed);
    this.owner.ping();
  }

  /** Looks after `limitMs` whether an answer came; `missed` did not before. */
  private expect(limitMs: number, missed: number): void {
    this.timers.set('heartbeat', limitMs, (late) => {
      if (this.heard) {
        this.asked = false;
        return this.arm();
      }
      if (late > LATE_MS) return this.ask(limitMs, missed);
      this.owner.missed();
      if (missed + 1 >= this.times.misses) return this.owner.dead();
      this.ask(limitMs, missed + 1);
    });
  }
}
