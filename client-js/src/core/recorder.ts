import type { Clock, Metrics, State, Telemetry } from '../types.js';
import type { Listeners } from './listeners.js';

const SHORT_MS = 5000;
const MEDIUM_MS = 60_000;

/** Telemetry events and metrics. */
export class Recorder {
  readonly metrics: Metrics = {
    attempts: 0,
    connects: 0,
    closes: {},
    outages: { short: 0, medium: 0, long: 0 },
    byAttempt: new Array<number>(10).fill(0),
    recoverMs: { count: 0, sum: 0, max: 0 },
    sent: 0,
    resent: 0,
    received: 0,
    duplicates: 0,
    dropped: 0,
    pings: 0,
    misses: 0,
  };
  state: State = 'idle';
  /** What events give as `attempt`. */
  failures = 0;
  private connId: string | undefined;
  /** There is an attempt or a connection, since `began`. */
  private active = false;
  private began = 0;
  private onlineSince: number | null = null;
  private lastEnd: number | null = null;
  /** Attempts since the last connection ended. */
  private attempts = 0;

  constructor(
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  tell(type: string, more: { [K in keyof Telemetry]?: Telemetry[K] | undefined } = {}): void {
    const { state, failures, connId } = this;
    const all = { type, time: this.clock.now(), state, attempt: failures, connId, ...more };
    const event: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(all)) {
      if (value !== undefined) event[key] = typeof value === 'number' ? Math.round(value) : value;
    }
    this.listeners.emit('telemetry', event as unknown as Telemetry);
  }

  /** Something threw; the reason names it, never a payload. */
  failed(type: string, error: unknown, reason?: string): void {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.tell(type, { reason: (reason ? `${reason}: ${text}` : text).slice(0, 200) });
  }

  attempt(): void {
    this.active = true;
    this.began = this.clock.mono();
    this.connId = undefined;
    this.attempts++;
    this.metrics.attempts++;
    this.tell('attempt');
  }

  welcomed(welcome: { connId?: string; resumed: boolean; reason?: string }): void {
    const { metrics, lastEnd } = this;
    const mono = this.clock.mono();
    this.onlineSince = mono;
    this.connId = welcome.connId;
    metrics.connects++;
    if (lastEnd !== null) {
      const outage = mono - lastEnd;
      metrics.byAttempt[Math.min(this.attempts, 10) - 1]!++;
      metrics.outages[outage < SHORT_MS ? 'short' : outage <= MEDIUM_MS ? 'medium' : 'long']++;
    }
    this.tell('connected', { durationMs: mono - this.began });
    this.tell(welcome.resumed ? 'resumed' : 'not_resumed', { reason: welcome.reason });
  }

  /** The backlog is through. */
  synced(): void {
    if (this.lastEnd === null) return;
    const durationMs = this.clock.mono() - this.lastEnd;
    const { recoverMs } = this.metrics;
    this.rested();
    recoverMs.count++;
    recoverMs.sum += durationMs;
    recoverMs.max = Math.max(recoverMs.max, durationMs);
    this.tell('synced', { durationMs });
  }

  /** A connection or an attempt ended; how long it was online in ms, or null. */
  ended(code: number, reason: string): number | null {
    const mono = this.clock.mono();
    const { active, onlineSince } = this;
    this.active = false;
    this.onlineSince = null;
    if (active) {
      this.metrics.closes[code] = (this.metrics.closes[code] ?? 0) + 1;
      this.tell('closed', { code, reason, durationMs: mono - (onlineSince ?? this.began) });
    }
    if (onlineSince === null) return null;
    this.lastEnd = mono;
    this.attempts = 0;
    return mono - onlineSince;
  }

  /** What follows is no recovery: the app wanted the end. */
  rested(): void {
    this.lastEnd = null;
    this.attempts = 0;
  }
}
