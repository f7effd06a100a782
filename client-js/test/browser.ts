import assert from 'node:assert/strict';
import { HoldfastClient } from '../src/client.js';
import { memoryStore } from '../src/store/memory.js';
import type { Channel, Locks } from '../src/tabs/ports.js';
import type { Clock, Options, Store, Telemetry } from '../src/types.js';
import {
  FakeClock,
  FakeParts,
  FakeSignals,
  FakeSocket,
  fetchInto,
  seeded,
  settled,
  socketsInto,
  type Request,
} from './fakes.js';

/** One browser: its locks, its channels, its disk, and the page's server. */
export class Browser {
  readonly clock = new FakeClock();
  readonly parts = new FakeParts();
  readonly store = memoryStore();
  readonly made: FakeSocket[] = [];
  readonly requests: Request[] = [];
  private readonly queues = new Map<string, { tab: Tab; grant: () => void }[]>();
  private readonly channels = new Set<{ tab: Tab; name: string; channel: Channel }>();
  private seeds = 0;
  /** So many requests for locks are refused. */
  refuseLocks = 0;
  /** Turns after which a lock that is free is given. */
  lockTurns = 0;
  /** Turns after which a tab hears what another one said. */
  talkTurns = 0;

  locks(tab: Tab): Locks {
    return {
      request: (name, { signal }, hold) =>
        new Promise((resolve, reject) => {
          if (tab.dead) return;
          if (this.refuseLocks-- > 0) return reject(new Error('no lock now'));
          const queue = this.queues.get(name) ?? [];
          this.queues.set(name, queue);
          const free = (): void => {
            const at = queue.indexOf(entry);
            if (at >= 0) queue.splice(at, 1);
            if (at === 0) queue[0]?.grant();
          };
          const grant = async (): Promise<void> => {
            for (let i = 0; i < this.lockTurns; i++) await settled();
            return hold();
          };
          const entry = { tab, grant: () => void grant().then(free).then(resolve, reject) };
          tab.onDeath.push(free);
          signal?.addEventListener('abort', () => {
            const at = queue.indexOf(entry);
            if (at <= 0) return;
            queue.splice(at, 1);
            reject(new Error('aborted'));
          });
          queue.push(entry);
          if (queue[0] === entry) entry.grant();
        }),
    };
  }

  channel(tab: Tab, name: string): Channel {
    let closed = false;
    const channel: Channel = {
      onmessage: null,
      postMessage: (message) => {
        if (closed) throw new DOMException('the channel is closed', 'InvalidStateError');
        if (tab.dead) return;
        const copy = structuredClone(message);
        const others = [...this.channels].filter((other) => other.channel !== channel && other.name === name);
        const arrive = async (): Promise<void> => {
          for (let i = 0; i < this.talkTurns; i++) await settled();
          for (const other of others) if (!other.tab.dead) other.channel.onmessage?.({ data: copy });
        };
        void Promise.resolve().then(arrive);
      },
      close: () => {
        closed = true;
        this.channels.forEach((one) => one.channel === channel && this.channels.delete(one));
      },
    };
    this.channels.add({ tab, name, channel });
    return channel;
  }

  open(user: string | null = 'bob', options: Partial<Options> = {}): Tab {
    return new Tab(this, { url: 'ws://a/v1/ws', ...(user === null ? {} : { user }), ...options }, seeded(++this.seeds));
  }

  get alive(): FakeSocket[] {
    return this.made.filter((socket) => socket.alive);
  }
}

export class Tab {
  dead = false;
  onDeath: (() => void)[] = [];
  readonly got: unknown[] = [];
  readonly events: unknown[] = [];
  readonly states: string[] = [];
  readonly telemetry: Telemetry[] = [];
  readonly signals = new FakeSignals();
  readonly client: HoldfastClient;

  constructor(browser: Browser, options: Options, random: () => number) {
    const { clock } = browser;
    const own: Clock = {
      now: () => clock.now(),
      mono: () => clock.mono(),
      setTimer: (ms, run) => {
        if (this.dead) return null; // a promise may still be under way
        const timer = clock.setTimer(ms, run);
        this.onDeath.push(() => clock.clearTimer(timer));
        return timer;
      },
      clearTimer: (timer) => clock.clearTimer(timer),
    };
    const dying = (made: FakeSocket[]): any => {
      const Made = socketsInto(made);
      const tab = this;
      return class extends Made {
        constructor(url: string, protocols: string[]) {
          super(url, protocols);
          tab.onDeath.push(() => (this.ended = true));
          this.ended = tab.dead;
        }
      };
    };
    this.client = new HoldfastClient(options, {
      ...{ clock: own, random, store: this.store(browser.store), signals: this.signals },
      parts: browser.parts,
      ...{ webSocket: dying(browser.made), fetch: (url, init) => this.living(fetchInto(browser.requests)(url, init)) },
      tabs: { locks: browser.locks(this), channel: (name) => browser.channel(this, name) },
    });
    this.client.on('message', ({ payload }) => void this.got.push(payload));
    this.client.on('event', ({ payload }) => void this.events.push(payload));
    this.client.on('telemetry', (event) => void this.telemetry.push(event));
    this.client.on('state', ({ state }) => void this.states.push(state));
  }

  /** What a dead tab waits for never comes. */
  private living<T>(value: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) =>
      value.then(
        (one) => this.dead || resolve(one),
        (error: unknown) => this.dead || reject(error as Error),
      ),
    );
  }

  /** Its access to the browser's store: a dead tab writes nothing more. */
  private store(store: Store): Store {
    const live = <T>(run: () => Promise<T>): Promise<T> => this.living(this.dead ? new Promise(() => {}) : run());
    return {
      get: (key) => live(() => store.get(key)),
      set: (entries) => live(() => store.set(entries)),
      delete: (keys) => live(() => store.delete(keys)),
      keys: (prefix) => live(() => store.keys(prefix)),
      close: () => live(() => store.close()),
    };
  }

  /** Closed by the person, or crashed: nothing of it runs any more. */
  die(): void {
    this.dead = true;
    for (const run of this.onDeath) run();
  }
}

export async function calm(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await settled();
}

export function welcome(socket: FakeSocket, more: object = {}): void {
  socket.open();
  void settled()
    .then(settled)
    .then(() => {
      socket.deliver({
        ...{ type: 'welcome', resumed: true, epoch: 'e', seq: 0, ackSeq: 0, sessionToken: 's' },
        ...{ heartbeat: { intervalMs: 25_000, timeoutMs: 8000 }, limits: { dedupWindowMs: 1e9 } },
        ...more,
      });
    });
}

export const message = (seq: number): object => ({
  type: 'message',
  seq,
  msgId: `m${seq}`,
  from: 'a',
  ts: 1,
  payload: seq,
});
export const sentBy = (socket: FakeSocket, type: string): any[] =>
  socket.sent
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text))
    .filter((frame) => frame.type === type);

export async function three(): Promise<{ browser: Browser; tabs: Tab[] }> {
  const browser = new Browser();
  const tabs = [browser.open(), browser.open(), browser.open()];
  for (const tab of tabs) tab.client.connect();
  await calm();
  assert.equal(browser.made.length, 1, 'one connection for all');
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  return { browser, tabs };
}
