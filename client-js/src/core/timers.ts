import type { Clock } from '../types.js';

/** The client's timers by name: one of a name at a time, and all of them gone with one call. */
export class Timers {
  private readonly running = new Map<string, unknown>();

  constructor(private readonly clock: Clock) {}

  /** Runs once after `ms`, instead of the timer of this name; `late` is how many ms after its time it ran. */
  set(name: string, ms: number, run: (late: number) => void): void {
    this.clear(name);
    const due = this.clock.mono() + ms;
    const timer = this.clock.setTimer(ms, () => {
      if (this.running.get(name) !== timer) return;
      this.running.delete(name);
      run(this.clock.mono() - due);
    });
    this.running.set(name, timer);
  }

  /** Sets the timer unless one of this name runs. */
  once(name: string, ms: number, run: () => void): void {
    if (!this.has(name)) this.set(name, ms, run);
  }

  has(name: string): boolean {
    return this.running.has(name);
  }

  clear(name: string): void {
    const timer = this.running.get(name);
    if (timer === undefined) return;
    this.running.delete(name);
    this.clock.clearTimer(timer);
  }

  clearAll(): void {
    for (const name of this.running.keys()) this.clear(name);
  }
}
