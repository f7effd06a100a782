import type { Engine } from '../core/engine.js';
import type { HoldfastError } from '../errors.js';
import type { Locks } from './ports.js';
import type { Op, Talk, Wish } from './talk.js';

type Heard = Extract<Talk, { k: 'wish' | 'bye' | 'do' }>;

/** The leading tab's part: one engine for what all tabs want together. */
export class Lead {
  private readonly wishes = new Map<string, Wish>();
  private readonly channels = new Map<string, string>();
  private readonly users = new Set<string>();
  private ended: Promise<void> | null = null;

  constructor(
    readonly engine: Engine,
    private readonly locks: Locks,
    private readonly name: string,
    private readonly post: (talk: Talk) => void,
    private readonly loggedOut: () => void,
  ) {}

  hear(talk: Heard): void {
    if (talk.k === 'bye') return this.gone(talk.tab);
    if (talk.k === 'wish') {
      if (!this.wishes.has(talk.tab)) this.watchOver(talk.tab);
      this.wish(talk.tab, talk.wish);
      const { state } = this.engine;
      const presence = this.engine.account.watches.known();
      return this.post({ k: 'now', to: talk.tab, state, presence, metrics: this.engine.metrics() });
    }
    const { tab, id } = talk;
    this.run(talk.op, talk.args).then(
      (value) => this.post({ k: 'done', to: tab, id, value }),
      ({ code = 'unknown', message, uncertain = false }: HoldfastError) =>
        this.post({ k: 'done', to: tab, id, error: { code, message, uncertain } }),
    );
  }

  wish(tab: string, wish: Wish): void {
    this.wishes.set(tab, wish);
    this.reconcile();
  }

  async run(op: Op, args: any[]): Promise<unknown> {
    if (op === 'logout') {
      await this.engine.logout();
      this.post({ k: 'logout' });
      this.loggedOut();
      return undefined;
    }
    return (this.engine[op] as (...all: any[]) => Promise<unknown>)(...args);
  }

  /** This tab leads no more; what waits is stored for the next one. */
  end(): Promise<void> {
    return (this.ended ??= this.engine.close());
  }

  /** Each tab holds a lock of its own: who gets it knows that the tab is gone, however it went. */
  private watchOver(tab: string): void {
    this.locks.request(`${this.name}tab/${tab}`, {}, async () => this.gone(tab)).catch(() => {}); // the page itself goes away
  }

  private gone(tab: string): void {
    if (this.wishes.delete(tab)) this.reconcile();
  }

  private reconcile(): void {
    if (this.ended) return;
    const wishes = [...this.wishes.values()];
    const channels = new Map(wishes.flatMap((wish) => wish.channels));
    const users = new Set(wishes.flatMap((wish) => wish.users));
    const { engine } = this;
    for (const channel of this.channels.keys()) if (!channels.has(channel)) engine.unsubscribe(channel);
    for (const [channel, options] of channels) {
      const asked = JSON.stringify(options);
      if (this.channels.get(channel) !== asked) engine.subscribe(channel, options);
      channels.set(channel, options);
    }
    this.channels.clear();
    for (const [channel, options] of channels) this.channels.set(channel, JSON.stringify(options));
    const goneUsers = [...this.users].filter((user) => !users.has(user));
    const newUsers = [...users].filter((user) => !this.users.has(user));
    if (goneUsers.length > 0) engine.unwatch(goneUsers);
    if (newUsers.length > 0) engine.watch(newUsers);
    this.users.clear();
    for (const user of users) this.users.add(user);
    const { state } = engine;
    const open = wishes.some((wish) => wish.open);
    if (open && (state === 'idle' || state === 'closed')) engine.connect();
    else if (!open && state !== 'idle' && state !== 'closed') void engine.close();
  }
}
