import * as history from '../src/history/pages.js';
import type { PartFiles } from '../src/parts.js';
import * as tabs from '../src/tabs/tabs.js';
import type { Clock, FetchLike, Signal, Signals, SocketLike } from '../src/types.js';

/** Runs all microtasks and what they start. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Timer {
  id: number;
  due: number;
  run: () => void;
}

/** A clock that stands still until it is moved; wall and monotonic time can part. */
export class FakeClock implements Clock {
  time = 0;
  timers: Timer[] = [];
  private ids = 0;

  constructor(public wall = 1_795_998_649_000) {}

  now(): number {
    return Math.floor(this.wall + this.time);
  }
  mono(): number {
    return this.time;
  }
  setTimer(ms: number, run: () => void): unknown {
    const timer = { id: ++this.ids, due: this.time + Math.max(0, ms), run };
    this.timers.push(timer);
    return timer.id;
  }
  clearTimer(id: unknown): void {
    this.timers = this.timers.filter((timer) => timer.id !== id);
  }

  /** The next timer, earliest first, of one time in their order. */
  next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (!first || timer.due < first.due || (timer.due === first.due && timer.id < first.id)) first = timer;
    }
    return first;
  }

  /** Runs one timer; the time is its own, or later when the clock is ahead of it already. */
  fire(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer);
    this.time = Math.max(this.time, timer.due);
    timer.run();
  }

  /** Moves the time on, timer by timer. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (let timer = this.next(); timer && timer.due <= end; timer = this.next()) {
      this.fire(timer);
      await settled();
    }
    this.time = end;
    await settled();
  }
}

/** A socket in the hand of the test; the client's handlers stay reachable after it let go of them. */
export class FakeSocket implements SocketLike {
  static readonly made: FakeSocket[] = [];
  private first: Record<string, (event: any) => void> = {};
  private refusal: ((request: unknown, response: unknown) => void) | undefined;
  readonly sent: string[] = [];
  closedBy: { code: number | undefined; reason: string | undefined } | null = null;
  opened = false;
  ended = false;

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {}

  set onopen(run: (event: any) => void) {
    this.first.open ??= run;
  }
  set onmessage(run: (event: any) => void) {
    this.first.message ??= run;
  }
  set onclose(run: (event: any) => void) {
    this.first.close ??= run;
  }
  set onerror(run: (event: any) => void) {
    this.first.error ??= run;
  }
  on(event: string, run: (request: unknown, response: unknown) => void): void {
    if (event === 'unexpected-response') this.refusal = run;
  }
  send(data: string): void {
    if (!this.opened || this.ended) throw new Error('not open');
    this.sent.push(data);
  }
  close(code?: number, reason?: string): void {
    if (!this.ended && !this.closedBy) this.closedBy = { code, reason };
  }

  /** Neither closed by the client nor ended. */
  get alive(): boolean {
    return !this.ended && !this.closedBy;
  }

  open(): void {
    this.opened = true;
    this.first.open!({});
  }
  deliver(frame: unknown): void {
    this.first.message!({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
  }
  error(): void {
    this.first.error!({});
  }
  end(code = 1006, reason = ''): void {
    this.ended = true;
    this.first.close!({ code, reason });
  }
  refuse(status: number, headers: Record<string, string> = {}): void {
    this.ended = true;
    if (this.refusal) this.refusal({}, { statusCode: status, headers });
    else this.first.close!({ code: 1006, reason: '' });
  }
}

/** Makes sockets that land in `made`. */
export function socketsInto(made: FakeSocket[]): new (url: string, protocols: string[]) => FakeSocket {
  return class extends FakeSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      made.push(this);
    }
  };
}

export class FakeSignals implements Signals {
  isOnline = true;
  isHidden = false;
  listeners = new Set<(signal: Signal) => void>();

  online(): boolean {
    return this.isOnline;
  }
  hidden(): boolean {
    return this.isHidden;
  }
  listen(heard: (signal: Signal) => void): () => void {
    this.listeners.add(heard);
    return () => void this.listeners.delete(heard);
  }
  tell(signal: Signal): void {
    if (signal === 'online') this.isOnline = true;
    if (signal === 'offline') this.isOnline = false;
    if (signal === 'visible') this.isHidden = false;
    if (signal === 'hidden') this.isHidden = true;
    for (const heard of [...this.listeners]) heard(signal);
  }
}

/** The files that the client loads late: at hand, or out of reach. */
export class FakeParts implements PartFiles {
  reachable = true;
  /** How often one was asked for. */
  asked = 0;

  readonly history = (): Promise<typeof history> => this.give(history);
  readonly tabs = (): Promise<typeof tabs> => this.give(tabs);

  private async give<T>(file: T): Promise<T> {
    this.asked++;
    if (!this.reachable) throw new TypeError('Failed to fetch dynamically imported module');
    return file;
  }
}

export interface Request {
  url: string;
  headers: Record<string, string>;
  answer(status: number, body: unknown, headers?: Record<string, string>): void;
  fail(): void;
}

/** HTTP requests that wait for an answer. */
export function fetchInto(requests: Request[]): FetchLike {
  return (url, { headers }) =>
    new Promise((resolve, reject) => {
      requests.push({
        url,
        headers,
        answer: (status, body, answered = {}) =>
          resolve({
            status,
            headers: { get: (name) => answered[name.toLowerCase()] ?? null },
            json: () => Promise.resolve(body),
          }),
        fail: () => reject(new Error('unreachable')),
      });
    });
}

/** A seeded source of numbers in [0, 1): mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
