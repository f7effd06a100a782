import type { Clock } from '../types.js';
import type { Timers } from './timers.js';

const TICK_MS = 5000;
const JUMP_MS = 5000;

/** Looks every 5 s whether the clock jumped or the machine slept: then nothing is known of the connection. */
export class Jumps {
  private drift = 0;

  constructor(
    private readonly clock: Clock,
    private readonly timers: Timers,
    private readonly jumped: () => void,
  ) {}

  start(): void {
    if (this.timers.has('tick')) return;
    this.drift = this.measure();
    this.arm();
  }

  stop(): void {
    this.timers.clear('tick');
  }

  private arm(): void {
    this.timers.set('tick', TICK_MS, (late) => {
      const drift = this.measure();
      const jumped = Math.abs(drift - this.drift) > JUMP_MS || late > JUMP_MS;
      this.drift = drift;
      this.arm();
      if (jumped) this.jumped();
    });
  }

  private measure(): number {
    return this.clock.now() - this.clock.mono();
  }
}
