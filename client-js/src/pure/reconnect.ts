import { delayOf, minDelay, soonDelay, toldDelay, type BackoffOptions } from './backoff.js';
import { afterClose, afterStatus, CloseCode, retryAfterOf, type Next } from './closecodes.js';

/** How a connection, or an attempt, ended. */
export interface Ended {
  code: number;
  reason: string;
  /** The status of a refused handshake, where it can be seen. */
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  /** What to do, where code and status do not say it. */
  next?: Next | undefined;
  /** How long it was online, ms; null when it was never welcomed. */
  onlineMs: number | null;
}

/** What comes next: an attempt after a delay, a rest until something changes, or the end. */
export type Decision = { do: 'wait'; delayMs: number } | { do: 'rest' } | { do: 'stop' };

/** What the client knows when it decides. `mono` is monotonic, in ms. */
export interface Situation {
  mono: number;
  hidden: boolean;
  /** The app has a function that gives tokens. */
  renewable: boolean;
}

/** When to come back, decided from one end after the other; no clock, no timer, chance as an argument. */
export class Reconnect {
  /** Ends since the last stable time. */
  failures = 0;
  private unwelcomed = 0;
  private tokenTried = false;
  private notBefore = -Infinity;

  constructor(
    private readonly options: BackoffOptions,
    private readonly random: () => number,
  ) {}

  /** The app begins anew. */
  reset(): void {
    this.failures = this.unwelcomed = 0;
    this.tokenTried = false;
    this.notBefore = -Infinity;
  }

  welcomed(): void {
    this.unwelcomed = 0;
    this.tokenTried = false;
  }

  /** A connection or an attempt is over. */
  ended(end: Ended, now: Situation): Decision {
    const next = end.next ?? (end.status === undefined ? afterClose(end.code) : afterStatus(end.status));
    if (next === 'stop') return { do: 'stop' };
    if (next === 'token') {
      if (this.tokenTried || !now.renewable) return { do: 'stop' };
      this.tokenTried = true;
    }
    if (end.onlineMs === null) this.unwelcomed++;
    else if (end.onlineMs >= this.options.stableMs) this.failures = 0;
    const delayMs = this.delayAfter(end, next, now);
    if (next !== 'soon') this.failures++;
    return this.unwelcomed >= this.options.maxAttempts ? { do: 'rest' } : { do: 'wait', delayMs };
  }

  /** Something changed for the better: the delay from now on, short, but not before what the server asked for. */
  kicked(mono: number): number {
    this.failures = this.unwelcomed = 0;
    return Math.max(minDelay(this.options, this.random), this.notBefore - mono);
  }

  private delayAfter(end: Ended, next: Next, now: Situation): number {
    const { options, random } = this;
    if (next === 'soon') return soonDelay(random);
    if (next === 'token' && this.failures < 2) return 0;
    const backoff = delayOf(options, this.failures, now.hidden, random);
    const byReason = end.code === CloseCode.RATE_LIMITED ? retryAfterOf(end.reason) : undefined;
    const told = byReason ?? end.retryAfterMs;
    if (told === undefined) return backoff;
    const delay = toldDelay(told, 1000, random);
    this.notBefore = now.mono + delay;
    return byReason === undefined ? Math.max(backoff, delay) : Math.max(delay, minDelay(options, random));
  }
}
