import type { Events, Handler } from '../types.js';
import type { Context } from './context.js';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 30_000;

/**
 * Hands one value at a time to the app's handlers of a kind, again and again until each of those that are there
 * was through with it; one that the app takes off is not asked again, and without any the value waits. Stopped, it calls nobody; what is in hand stays in hand and goes on with `go`.
 */
export class Handover<K extends 'message' | 'history' | 'event'> {
  private value: { now: Events[K] } | null = null;
  private done: () => void = () => {};
  /** Handlers that were through with the value. */
  private readonly through = new Set<Handler<Events[K]>>();
  /** Those that failed the last time. */
  private readonly failed = new Set<Handler<Events[K]>>();
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
    this.through.clear();
    this.failed.clear();
    this.ctx.listeners.tap?.(this.kind, value);
    this.go();
  }

  /** Nobody is asked again; what runs may end. */
  drop(): void {
    this.value = null;
    this.ctx.timers.clear(this.timer);
  }

  /** Goes on with what is in hand, where nothing else will; called too when the app took a handler off, or gave one. */
  go(): void {
    const { ctx, through, failed, timer } = this;
    if (!this.value || this.running || !ctx.isOpen()) return;
    const handlers = ctx.listeners.of(this.kind).filter((handler) => !through.has(handler));
    if (ctx.timers.has(timer) && handlers.some((handler) => failed.has(handler))) return;
    ctx.timers.clear(timer);
    if (handlers.length + through.size === 0) return; // waits for one
    const value = this.value.now;
    const open: Promise<unknown>[] = [];
    const errors: unknown[] = [];
    this.running = true;
    failed.clear();
    for (const handler of handlers) {
      const fail = (is: unknown): void => {
        failed.add(handler);
        errors.push(is);
      };
      try {
        const result = handler(value) as PromiseLike<unknown> | undefined;
        if (typeof result?.then === 'function')
          open.push(Promise.resolve(result).then(() => through.add(handler), fail));
        else through.add(handler);
      } catch (is) {
        fail(is);
      }
    }
    const end = (): void => this.end(errors);
    if (open.length > 0) void Promise.all(open).then(end);
    else end();
  }

  private end(errors: unknown[]): void {
    const { ctx } = this;
    this.running = false;
    if (errors.length === 0) {
      this.value = null;
      return this.done();
    }
    ctx.recorder.failed('handler_failed', errors[0], this.kind);
    if (!this.value) return;
    const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures++, 16));
    if (ctx.isOpen()) ctx.timers.set(this.timer, delay, () => this.go());
  }
}
