import { toldDelay } from '../pure/backoff.js';
import type { Presence } from '../types.js';
import type { Context } from './context.js';

const RETRY_MS = 1000;
/** Of 128 characters each: 52 KiB. */
const USERS_A_FRAME = 400;

/** The users whose presence the app watches, and what is known of them. */
export class Watches {
  readonly users = new Map<string, Presence | null>();
  private readonly again = new Set<string>();

  constructor(private readonly ctx: Context) {}

  watch(users: readonly string[]): void {
    for (const user of users) if (!this.users.has(user)) this.users.set(user, null);
    this.ask('watch', users);
  }

  unwatch(users: readonly string[]): void {
    for (const user of users) this.users.delete(user);
    this.ask('unwatch', users);
  }

  wanted(): string[] {
    return [...this.users.keys()];
  }

  /** The last that was told of a watched user. */
  presence(user: string): Presence | undefined {
    return this.users.get(user) ?? undefined;
  }

  came(presence: Presence): void {
    if (!this.users.has(presence.user)) return;
    this.users.set(presence.user, presence);
    this.ctx.listeners.emit('presence', presence);
  }

  refused(users: string[], retryable: boolean, retryAfterMs?: number): void {
    for (const user of users) {
      if (!retryable) this.users.delete(user);
      else this.again.add(user);
    }
    if (!retryable) return;
    this.ctx.timers.once('watch', toldDelay(retryAfterMs ?? RETRY_MS, 1000, this.ctx.random), () => {
      const left = [...this.again].filter((user) => this.users.has(user));
      this.again.clear();
      this.ask('watch', left);
    });
  }

  /** The connection ended; the next hello asks for all again. */
  stop(): void {
    this.again.clear();
    this.ctx.timers.clear('watch');
  }

  private ask(type: 'watch' | 'unwatch', users: readonly string[]): void {
    for (let i = 0; this.ctx.isOnline() && i < users.length; i += USERS_A_FRAME) {
      this.ctx.send({ type, users: users.slice(i, i + USERS_A_FRAME) });
    }
  }
}
