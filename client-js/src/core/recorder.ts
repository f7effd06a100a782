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
  connId: string | undefined;
  failures = 0;

  constructor(
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  tell(type: string, more: Partial<Telemetry> = {}): void {
    const event: Telemetry = { type, time: this.clock.now(), state: this.state, attempt: this.failures };
    if (this.connId !== undefined) event.connId = this.connId;
    for (const [key, value] of Object.entries(more)) {
      if (value !== undefined) Object.assign(event, { [key]: typeof value === 'number' ? Math.round(value) : value });
    }
    this.listeners.emit('telemetry', event);
  }

  /** Something threw; the reason names it, never a payload. */
  failed(type: string, error: unknown, reason?: string): void {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    this.tell(type, { reason: (reason ? `${reason}: ${text}` : text).slice(0, 200) });
  }

  closed(code: number): void {
    this.metrics.closes[code] = (this.metrics.closes[code] ?? 0) + 1;
  }

  /** A connection works, at the n-th attempt (from 1) since the last one ended `outageMs` ago. */
  connected(attempts: number, outageMs: number | null): void {
    const { metrics } = this;
    metrics.connects++;
    if (outageMs === null) return;
    metrics.byAttempt[Math.min(attempts, 10) - 1]!++;
    if (outageMs < SHORT_MS) metrics.outages.short++;
    else if (outageMs <= MEDIUM_MS) metrics.outages.medium++;
    else metrics.outages.long++;
  }

  recovered(ms: number): void {
    const { recoverMs } = this.metrics;
    recoverMs.count++;
    recoverMs.sum += ms;
    recoverMs.max = Math.max(recoverMs.max, ms);
  }

  copy(): Metrics {
    return JSON.parse(JSON.stringify(this.metrics)) as Metrics;
  }
}
