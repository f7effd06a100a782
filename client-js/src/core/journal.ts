import type { Store } from '../types.js';
import type { Timers } from './timers.js';

const OP_LIMIT_MS = 5000;
const LATE_MS = 1000;
const LAST_RETRY_MS = 30_000;
const MOST_FAILED = 2000;

/**
 * Writes to the store, in the order in which they were asked for and one at a time; what is asked for meanwhile goes
 * into the next one together. A write that failed is tried again with the next one or after a while, 1 s doubled up to
 * 30 s; the newest value of a key wins. A store that does not answer within 5 s counts as failed and is asked nothing
 * until it has.
 */
export class Journal {
  private dirty = new Map<string, unknown>();
  private readonly failed = new Map<string, unknown>();
  private waiters: ((stored: boolean) => void)[] = [];
  private running: Promise<void> | null = null;
  private hung = false;
  private failures = 0;
  /** Another account has the store. */
  private shut = false;
  /** The client is closed: no timer. */
  private resting = true;
  private prefix = '';

  constructor(
    private store: Store,
    private readonly timers: Timers,
    private readonly telling: (error: unknown) => void,
  ) {}

  /** Everything stored under this prefix, keys without it; all further keys begin with it. */
  async load(prefix: string): Promise<Map<string, unknown>> {
    this.prefix = prefix;
    const rows = new Map<string, unknown>();
    const keys = await this.limited(() => this.store.keys(this.prefix));
    for (const key of keys.sort()) {
      rows.set(key.slice(this.prefix.length), await this.limited(() => this.store.get(key)));
    }
    return rows;
  }

  /** Goes on with another store, since this one cannot be read. */
  replace(store: Store): void {
    this.store = store;
    this.hung = false;
  }

  /** While the client is to be connected, writes that fail are tried again after a while; else with the next one. */
  rest(resting: boolean): void {
    this.resting = resting;
    if (resting) this.timers.clear('store');
  }

  /** Writes the value, or deletes the key where it is undefined; soon. */
  put(key: string, value: unknown): void {
    const whole = this.prefix + key;
    this.failed.delete(whole);
    this.dirty.set(whole, value);
    this.start();
  }

  /** Resolves when all that was put until now is written: false where it failed, and is still only in memory. */
  written(): Promise<boolean> {
    if (this.dirty.size === 0 && !this.running && !this.resting) return Promise.resolve(this.failed.size === 0);
    return new Promise((resolve) => {
      this.waiters.push(resolve);
      this.start();
    });
  }

  /** Deletes everything under the prefix, after the write under way, and lets go of the store: nothing is written any more. */
  async clear(): Promise<void> {
    this.shut = true;
    await this.running;
    this.timers.clear('store');
    await this.limited(async () => this.store.delete(await this.store.keys(this.prefix)));
    await this.limited(() => this.store.close());
  }

  /** Writes what is left, as well as it goes, and closes the store; so it is too after what is written later. */
  async close(): Promise<void> {
    this.resting = true;
    if (this.failed.size > 0) this.retry();
    await this.written();
    await this.running;
    this.timers.clear('store');
  }

  private start(): void {
    if (!this.running && !this.shut) this.running = Promise.resolve().then(() => this.run());
  }

  private async run(): Promise<void> {
    while (this.mayWrite()) {
      const batch = this.dirty;
      const waiters = this.waiters;
      this.dirty = new Map();
      this.waiters = [];
      const stored = await this.write([...batch]);
      for (const waiter of waiters) waiter(stored);
      if (this.resting && !this.mayWrite()) await this.limited(() => this.store.close()).catch(this.telling);
    }
    this.running = null; // in the same turn as the look at what is left, or a wish in between would never be met
    for (const waiter of this.waiters.splice(0)) waiter(false);
  }

  private mayWrite(): boolean {
    return (this.dirty.size > 0 || this.waiters.length > 0) && !this.shut;
  }

  private async write(batch: [string, unknown][]): Promise<boolean> {
    let stored = true;
    if (!(await this.tryWrite(batch, batch.length === 1))) {
      // one value that does not fit must not keep the others out
      for (const row of batch) if (batch.length === 1 || !(await this.tryWrite([row], true))) stored = this.keep(row);
    }
    if (this.failed.size === 0) {
      this.failures = 0;
    } else if (!this.resting && !this.timers.has('store')) {
      this.timers.set('store', Math.min(LAST_RETRY_MS, 1000 * 2 ** Math.min(this.failures++, 5)), () => this.retry());
    }
    return stored;
  }

  private keep([key, value]: [string, unknown]): false {
    if (!this.dirty.has(key)) this.failed.set(key, value);
    if (this.failed.size > MOST_FAILED) this.failed.delete(this.failed.keys().next().value!);
    return false;
  }

  private retry(): void {
    for (const [key, value] of this.failed) if (!this.dirty.has(key)) this.dirty.set(key, value);
    this.failed.clear();
    this.start();
  }

  private async tryWrite(batch: [string, unknown][], tell: boolean): Promise<boolean> {
    const rows = batch.filter(([, value]) => value !== undefined);
    const gone = batch.filter(([, value]) => value === undefined);
    try {
      if (rows.length > 0) await this.limited(() => this.store.set(Object.fromEntries(rows)));
      if (gone.length > 0) await this.limited(() => this.store.delete(gone.map(([key]) => key)));
      return true;
    } catch (error) {
      if (tell) this.telling(error);
      return false;
    }
  }

  private limited<T>(run: () => Promise<T>): Promise<T> {
    if (this.hung) return Promise.reject(slow());
    return new Promise((resolve, reject) => {
      let timedOut = false;
      const limit = (): void =>
        this.timers.set('store-limit', OP_LIMIT_MS, (late) => {
          if (late > LATE_MS) return limit(); // the process slept, and the store too
          this.hung = timedOut = true;
          reject(slow());
        });
      limit();
      const over = (): void => {
        if (timedOut) this.hung = false;
        else this.timers.clear('store-limit');
      };
      // in a promise, so that a store that throws counts as one that rejects
      void Promise.resolve()
        .then(run)
        .then(
          (value) => (over(), resolve(value)),
          (error: unknown) => (over(), reject(error)),
        );
    });
  }
}

function slow(): Error {
  return new Error('the store does not answer');
}
