/** How chance spreads the delay `d`; by default over all of [0, d). */
export type Jitter = 'full' | 'equal' | 'ratio' | 'decorrelated';

/** When to come back. All times in ms. */
export interface BackoffOptions {
  /** The first delay before chance; 1000. */
  baseMs: number;
  /** The greatest delay; 30 000. While the page is hidden `hiddenCapMs` holds. */
  capMs: number;
  /** The greatest delay while the page is hidden; 300 000. */
  hiddenCapMs: number;
  /** By how much each further delay grows; 2. */
  factor: number;
  /** How chance spreads it; `full`. */
  jitter: Jitter;
  /** For jitter `ratio`: d · (1 ± ratio); 0.3. */
  ratio: number;
  /** After an unplanned end no attempt is made before this; drawn from 200–500 each time where absent. */
  minMs?: number;
  /** How long a connection must be online for the failure count to return to zero; 60 000. */
  stableMs: number;
  /** After so many failures in a row without a welcome the client rests in `offline-wait`; 8. */
  maxAttempts: number;
}

/** A set of parameters for a kind of network. */
export type Preset = 'lan' | 'mobile' | 'weak' | 'web';

export const PRESETS: Record<Preset, { baseMs: number; capMs: number; heartbeatMs: number }> = {
  lan: { baseMs: 500, capMs: 10_000, heartbeatMs: 30_000 },
  mobile: { baseMs: 1000, capMs: 30_000, heartbeatMs: 18_000 },
  weak: { baseMs: 2000, capMs: 60_000, heartbeatMs: 12_000 },
  web: { baseMs: 1000, capMs: 30_000, heartbeatMs: 30_000 },
};

/** The options with everything filled in: given ones win over the preset's. */
export function backoffOf(preset: Preset, given: Partial<BackoffOptions> = {}): BackoffOptions {
  const { baseMs, capMs } = PRESETS[preset];
  const all: BackoffOptions = {
    baseMs,
    capMs,
    hiddenCapMs: 300_000,
    factor: 2,
    jitter: 'full',
    ratio: 0.3,
    stableMs: 60_000,
    maxAttempts: 8,
  };
  return Object.assign(all, given);
}

/** The least delay after an unplanned end: 200–500 ms by chance, or the app's. */
export function minDelay(options: BackoffOptions, random: () => number): number {
  return options.minMs ?? 200 + 300 * random();
}

function capOf(options: BackoffOptions, hidden: boolean): number {
  return hidden ? Math.max(options.hiddenCapMs, options.capMs) : options.capMs;
}

/** min(cap, base · factor^failures): grows without overflow, never above the cap. */
export function ceilingOf(options: BackoffOptions, failures: number, hidden: boolean): number {
  return Math.min(capOf(options, hidden), options.baseMs * options.factor ** Math.min(failures, 64));
}

/** The delay before the next attempt, drawn afresh each time; `failures` are the ends before this one. */
export function delayOf(options: BackoffOptions, failures: number, hidden: boolean, random: () => number): number {
  const d = ceilingOf(options, failures, hidden);
  return Math.max(minDelay(options, random), spread(options, d, capOf(options, hidden), random));
}

function spread(options: BackoffOptions, d: number, cap: number, random: () => number): number {
  switch (options.jitter) {
    case 'equal':
      return d / 2 + (d / 2) * random();
    case 'ratio':
      return d * (1 + options.ratio * (2 * random() - 1));
    case 'decorrelated':
      return Math.min(cap, d + options.baseMs * random());
    default:
      return d * random();
  }
}

/** After a planned restart: 1 s ± half. */
export function soonDelay(random: () => number): number {
  return 500 + 1000 * random();
}

/** After `retryAfterMs`: that, plus up to a tenth of it (`leastMs` at least) by chance; at most an hour. */
export function toldDelay(retryAfterMs: number, leastMs: number, random: () => number): number {
  return Math.min(retryAfterMs + Math.max(retryAfterMs / 10, leastMs) * random(), 3_600_000);
}
