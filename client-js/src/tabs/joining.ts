import type { Engine } from '../core/engine.js';
import type { Ports } from '../core/ports.js';
import type { State, StateChange } from '../types.js';

/** After so many failures in a row the tab rests. */
const MOST_FAILURES = 8;

/**
 * Comes back by backoff where a tab cannot meet the others, as a client alone does where it cannot connect: no
 * token tells whose store it is, or there is no lock to be had.
 */
export class Joining {
  private failures = 0;
  private timer: unknown = null;
  private deafen: (() => void) | null = null;

  constructor(
    private readonly ports: Ports,
    private readonly spare: Engine,
    private readonly join: () => void,
    private readonly become: (state: State, reason: string, more?: Partial<StateChange>) => void,
  ) {}

  /** It did not work; it is tried again where the app wants a connection. */
  failed(error: unknown, code: string, wanted: boolean): void {
    const { recorder } = this.spare;
    recorder.failures = this.failures;
    recorder.failed('attempt_failed', error, code);
    if (!wanted) return;
    this.deafen ??= this.ports.signals.listen((signal) => {
      if (signal === 'offline') this.rest('no_network');
      else if (signal !== 'hidden') this.kick(signal);
    });
    if (++this.failures >= MOST_FAILURES) {
      this.rest('gave_up');
      recorder.tell('gave_up');
    } else if (this.ports.signals.online()) this.wait(code);
    else this.rest('no_network');
  }

  /** Something changed for the better: soon, and as if it were the first time. */
  kick(reason: string): void {
    if (!this.deafen || !this.ports.signals.online()) return;
    this.failures = 0;
    this.wait(reason);
  }

  /** It worked, or nobody wants it any more. */
  stop(): void {
    this.failures = 0;
    this.deafen?.();
    this.deafen = null;
    this.ports.clock.clearTimer(this.timer);
  }

  private wait(reason: string): void {
    const { clock } = this.ports;
    const delayMs = Math.round(this.spare.delay(Math.max(0, this.failures - 1)));
    clock.clearTimer(this.timer);
    this.timer = clock.setTimer(delayMs, () => this.join());
    this.become('backoff', reason, { delayMs });
    this.spare.recorder.tell('backoff', { delayMs, reason });
  }

  private rest(reason: string): void {
    this.ports.clock.clearTimer(this.timer);
    this.become('offline-wait', reason);
  }
}
