import type { Events, Handler } from '../types.js';

type Kind = keyof Events;

/**
 * The app's handlers. What needs no acknowledgement is emitted from a queue, never from within a change of the client's
 * own state: so a handler may call whatever it likes, `close()` too.
 */
export class Listeners {
  private readonly handlers = new Map<Kind, Set<Handler<any>>>();
  private queue: { kind: Kind; value: unknown }[] = [];
  /** Told when a handler came, or went. */
  changed: () => void = () => {};
  /** Told when a handler of a kind that is not acknowledged threw. */
  failed: (kind: Kind, error: unknown) => void = () => {};
  /** Sees everything that the app is told, once. */
  tap: ((kind: Kind, value: unknown) => void) | null = null;

  on<K extends Kind>(kind: K, handler: Handler<Events[K]>): () => void {
    const own: Handler<Events[K]> = (value) => handler(value); // so that the same function given twice counts twice
    let set = this.handlers.get(kind);
    if (!set) this.handlers.set(kind, (set = new Set()));
    set.add(own);
    this.changed();
    return () => {
      if (set.delete(own)) this.changed();
    };
  }

  of(kind: Kind): Handler<any>[] {
    return [...(this.handlers.get(kind) ?? [])];
  }

  has(kind: Kind): boolean {
    return this.of(kind).length > 0;
  }

  /** The app is told as soon as the present work is through. */
  emit<K extends Kind>(kind: K, value: Events[K]): void {
    this.queue.push({ kind, value });
    if (this.queue.length === 1) void Promise.resolve().then(() => this.flush());
  }

  /** Tells the app now what waits. */
  flush(): void {
    while (this.queue.length > 0) {
      const { kind, value } = this.queue.shift()!;
      this.tap?.(kind, value);
      for (const handler of this.of(kind)) {
        try {
          const result = handler(value);
          if (result instanceof Promise) result.catch((error: unknown) => this.failed(kind, error));
        } catch (error) {
          this.failed(kind, error);
        }
      }
    }
  }
}
