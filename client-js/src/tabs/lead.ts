import type { Engine } from '../core/engine.js';
import type { HoldfastError } from '../errors.js';
import type { Meeting } from './meeting.js';
import type { Failure, Op, Talk, Wish } from './talk.js';

export type Said = Extract<Talk, { k: 'wish' | 'bye' | 'do' }>;

/** The leading tab's part: one engine for what all tabs want together. */
export class Lead {
  private readonly wishes = new Map<string, Wish>();
  private readonly channels = new Map<string, string>();
  private readonly users = new Set<string>();
  private ended: Promise<void> | null = null;
  /** The account is being logged out: what its engine says of its end is not for the other tabs. */
  leaving = false;
  private empty: () => void = () => {};
  /**
   * Settles when no tab is left here. After a logout the lock is kept so long: one that got it before it heard of the
   * logout would connect the old account again.
   */
  readonly left = new Promise<void>((resolve) => (this.empty = resolve));

  constructor(
    readonly engine: Engine,
    private readonly meeting: Meeting,
    /** Told before all are logged out, and after. */
    private readonly logOut: (done: boolean, error?: Failure) => void,
  ) {}

  hear(talk: Said): void {
    if (talk.k === 'bye') return this.gone(talk.tab);
    if (talk.k === 'wish') {
      if (!this.wishes.has(talk.tab)) this.watchOver(talk.tab);
      if (this.leaving) return void this.wishes.set(talk.tab, talk.wish); // it will hear of the logout
      this.wish(talk.tab, talk.wish, talk.asks);
      const { state } = this.engine;
      const presence = [...this.engine.account.watches.users.values()].filter((one) => one !== null);
      return this.meeting.post({ k: 'now', to: talk.tab, state, presence, metrics: this.engine.metrics() });
    }
    const { tab, id } = talk;
    this.run(talk.op, talk.args).then(
      (value) => this.meeting.post({ k: 'done', to: tab, id, value }),
      (error: unknown) => this.meeting.post({ k: 'done', to: tab, id, error: failureOf(error) }),
    );
  }

  wish(tab: string, wish: Wish, asks: boolean): void {
    this.wishes.set(tab, wish);
    this.reconcile();
    if (asks && !this.ended && this.engine.state !== 'online') this.engine.connect();
  }

  async run(op: Op, args: any[]): Promise<unknown> {
    if (op === 'logout') return (this.ended ??= this.logOutAll());
    if (this.leaving) throw Object.assign(new Error('logged out'), { code: 'logged_out' });
    return (this.engine[op] as (...all: any[]) => Promise<unknown>)(...args);
  }

  /** Told to all before this tab leads no more, or they would wait for one another. */
  private async logOutAll(): Promise<void> {
    this.leaving = true;
    this.logOut(false);
    const error = await this.engine.logout().then(() => undefined, failureOf);
    this.meeting.post({ k: 'logout', error });
    this.logOut(true, error);
  }

  /** This tab leads no more; what waits is stored for the next one. */
  end(): Promise<void> {
    return (this.ended ??= this.engine.close());
  }

  /** Each tab holds a lock of its own: who gets it knows that the tab is gone, however it went. */
  private watchOver(tab: string): void {
    const { tabs, name } = this.meeting;
    tabs.locks.request(`${name}tab/${tab}`, {}, async () => this.gone(tab)).catch(() => {}); // the page itself goes away
  }

  private gone(tab: string): void {
    if (this.wishes.delete(tab)) this.reconcile();
    if (this.wishes.size === 0) this.empty();
  }

  private reconcile(): void {
    if (this.ended) return;
    const wishes = [...this.wishes.values()];
    const channels = new Map(wishes.flatMap((wish) => wish.channels));
    const at = new Map(wishes.flatMap((wish) => wish.at));
    const users = new Set(wishes.flatMap((wish) => wish.users));
    const { engine } = this;
    for (const channel of this.channels.keys()) if (!channels.has(channel)) engine.unsubscribe(channel);
    for (const [channel, options] of channels) {
      const asked = JSON.stringify(options);
      const before = this.channels.get(channel);
      // where the tabs are already counts more than where one of them once began
      const position = before === undefined ? at.get(channel) : undefined;
      if (before !== asked) engine.subscribe(channel, position === undefined ? options : { ...options, position });
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
    // from `closed` only a tab that asks leads on: it may be final
    if (open && state === 'idle') engine.connect();
    else if (!open && state !== 'idle' && state !== 'closed') void engine.close();
  }
}

function failureOf(error: unknown): Failure {
  const { code = 'unknown', message = String(error), uncertain = false } = error as Partial<HoldfastError>;
  return { code, message, uncertain };
}
