import type { Events, Handler } from '../types.js';
import type { Context } from './context.js';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/**
 * Hands one value at a time to the app's handlers of a kind, again and again until each of them was through with it
 * . Stopped, it calls nobody; what is in hand stays in hand and goes on with `go`.
 */
export class Handover<K extends 'message' | 'history' | 'event'> {
  private value: { now: Events[K] } | null = null;
  private done: () => void = () => {};
  private waiting: Handler<Events[K]>[] = [];
  private running = false;
  private failures = 0;

  constructor(
    private readonly kind: K,
    private readonly ctx: Context,
    private readonly timer: string,
  ) {}

  /** A value is in hand. */
  get busy(): boolean {
    return this.value !== null;
  }

  /** Takes a value; `done` is called once, maybe before this returns. Only when not busy. */
  start(value: Events[K], done: () => void): void {
    this.value = { now: value };
    this.done = done;
    this.failures = 0;
    this.waiting = this.ctx.listeners.of(this.kind);
    this.ctx.listeners.tap?.(this.kind, value);
    this.go();
  }

  /** Goes on with what is in hand, where nothing else will. */
  go(): void {
    if (!this.value || this.running || !this.ctx.isOpen() || this.ctx.timers.has(this.timer)) return;
    const value = this.value.now;
    const open: Promise<void>[] = [];
    this.running = true;
    const left = new Set(this.waiting);
    let error: { is: unknown } | null = null;
    for (const handler of this.waiting) {
      try {
        const result = handler(value) as PromiseLike<unknown> | undefined;
        if (typeof result?.then === 'function') {
          open.push(
            Promise.resolve(result).then(
              () => void left.delete(handler),
              (is: unknown) => void (error ??= { is }),
            ),
          );
        } else {
          left.delete(handler);
        }
      } catch (is) {
        error ??= { is };
      }
    }
    const end = (): void => this.end([...left], error);
    if (open.length > 0) void Promise.all(open).then(end);
    else end();
  }

  private end(left: Handler<Events[K]>[], error: { is: unknown } | null): void {
    this.running = false;
    this.waiting = left;
    if (!error) {
      this.value = null;
      return this.done();
    }
    this.ctx.recorder.failed('handler_failed', error.is, this.kind);
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures++, 16));
    if (this.ctx.isOpen()) this.ctx.timers.set(this.timer, delay, () => this.go());
  }
}
