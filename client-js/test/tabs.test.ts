// several tabs share one connection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HoldfastClient } from '../src/client.js';
import { memoryStore } from '../src/store/memory.js';
import type { Channel, Locks } from '../src/tabs/ports.js';
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
class Browser {
  readonly clock = new FakeClock();
  readonly parts = new FakeParts();
  readonly store = memoryStore();
  readonly made: FakeSocket[] = [];
  readonly requests: Request[] = [];
  private readonly queues = new Map<string, { tab: Tab; grant: () => void }[]>();
  private readonly channels = new Set<{ tab: Tab; name: string; channel: Channel }>();
  private seeds = 0;

  locks(tab: Tab): Locks {
    return {
      request: (name, { signal }, hold) =>
        new Promise((resolve, reject) => {
          const queue = this.queues.get(name) ?? [];
          this.queues.set(name, queue);
          const entry = {
            tab,
            grant: () => {
              const free = (): void => {
                if (queue[0] !== entry) return;
                queue.shift();
                queue[0]?.grant();
              };
              tab.onDeath.push(free);
              void hold().then(free).then(resolve, reject);
            },
          };
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
    const channel: Channel = {
      onmessage: null,
      postMessage: (message) => {
        if (tab.dead) return;
        const copy = structuredClone(message);
        for (const other of this.channels) {
          if (other.channel === channel || other.name !== name) continue;
          void Promise.resolve().then(() => other.tab.dead || other.channel.onmessage?.({ data: copy }));
        }
      },
      close: () => this.channels.forEach((one) => one.channel === channel && this.channels.delete(one)),
    };
    this.channels.add({ tab, name, channel });
    return channel;
  }

  open(user = 'bob'): Tab {
    return new Tab(this, user, seeded(++this.seeds));
  }

  get alive(): FakeSocket[] {
    return this.made.filter((socket) => socket.alive);
  }
}

class Tab {
  dead = false;
  onDeath: (() => void)[] = [];
  readonly got: unknown[] = [];
  readonly events: unknown[] = [];
  readonly states: string[] = [];
  readonly client: HoldfastClient;

  constructor(browser: Browser, user: string, random: () => number) {
    const dying = (made: FakeSocket[]): any => {
      const Made = socketsInto(made);
      const tab = this;
      return class extends Made {
        constructor(url: string, protocols: string[]) {
          super(url, protocols);
          tab.onDeath.push(() => (this.ended = true));
        }
      };
    };
    this.client = new HoldfastClient(
      { url: 'ws://a/v1/ws', user },
      {
        ...{ clock: browser.clock, random, store: browser.store, signals: new FakeSignals() },
        parts: browser.parts,
        ...{ webSocket: dying(browser.made), fetch: fetchInto(browser.requests) },
        tabs: { locks: browser.locks(this), channel: (name) => browser.channel(this, name) },
      },
    );
    this.client.on('message', ({ payload }) => void this.got.push(payload));
    this.client.on('event', ({ payload }) => void this.events.push(payload));
    this.client.on('state', ({ state }) => void this.states.push(state));
  }

  /** Closed by the person, or crashed: nothing of it runs any more. */
  die(): void {
    this.dead = true;
    for (const run of this.onDeath) run();
  }
}

async function calm(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await settled();
}

function welcome(socket: FakeSocket, more: object = {}): void {
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

const message = (seq: number): object => ({ type: 'message', seq, msgId: `m${seq}`, from: 'a', ts: 1, payload: seq });
const sentBy = (socket: FakeSocket, type: string): any[] =>
  socket.sent
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text))
    .filter((frame) => frame.type === type);

async function three(): Promise<{ browser: Browser; tabs: Tab[] }> {
  const browser = new Browser();
  const tabs = [browser.open(), browser.open(), browser.open()];
  for (const tab of tabs) tab.client.connect();
  await calm();
  assert.equal(browser.made.length, 1, 'one connection for all');
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  return { browser, tabs };
}

test('R-1.12 all tabs share one connection, and all are told', async () => {
  const { browser, tabs } = await three();
  for (const tab of tabs) assert.equal(tab.client.state, 'online');
  browser.made[0]!.deliver(message(1));
  await calm();
  for (const tab of tabs) assert.deepEqual(tab.got, [1]);
  assert.deepEqual(
    sentBy(browser.made[0]!, 'ack').map(({ seq }) => seq),
    [1],
  );
});

test('R-1.12 a send in any tab goes through the one outbox and settles in its tab', async () => {
  const { browser, tabs } = await three();
  const outcome = tabs[2]!.client.send({ user: 'eve' }, 'hi');
  await calm();
  const [frame] = sentBy(browser.made[0]!, 'send');
  browser.made[0]!.deliver({ type: 'sent', clientMsgId: frame.clientMsgId, msgId: 'M' });
  assert.deepEqual(await outcome, { msgId: 'M' });
  await assert.rejects(tabs[1]!.client.send({ user: 'not a name' }, 1), { code: 'bad_frame' });
});

test('R-1.12 when the leading tab dies another one resumes, and repeats what was under way', async () => {
  const { browser, tabs } = await three();
  const [leader, heir, other] = tabs as [Tab, Tab, Tab];
  browser.made[0]!.deliver(message(1));
  await calm();
  const outcome = other.client.send({ user: 'eve' }, 'hi', { clientMsgId: 'x' });
  await calm();
  leader.die();
  await calm();
  assert.equal(browser.made.length, 2);
  welcome(browser.made[1]!, { seq: 2, ackSeq: 1 });
  await calm();
  const [hello] = sentBy(browser.made[1]!, 'hello');
  assert.equal(hello.lastSeq, 1);
  browser.made[1]!.deliver(message(2));
  await calm();
  assert.deepEqual(heir.got, [1, 2]);
  assert.deepEqual(other.got, [1, 2]);
  assert.deepEqual(
    sentBy(browser.made[1]!, 'send').map(({ clientMsgId }) => clientMsgId),
    ['x'],
  );
  browser.made[1]!.deliver({ type: 'sent', clientMsgId: 'x', msgId: 'M' });
  assert.deepEqual(await outcome, { msgId: 'M' });
  assert.equal(browser.alive.length, 1);
});

test('R-1.12 R-5.1 what a dead leader told but had not stored is told to nobody again', async () => {
  const { browser, tabs } = await three();
  const [leader, heir, other] = tabs as [Tab, Tab, Tab];
  leader.client.on('message', () => new Promise(() => {})); // its handler hangs: nothing is acknowledged or stored
  browser.made[0]!.deliver(message(1));
  await calm();
  assert.deepEqual([heir.got, other.got], [[1], [1]]);
  leader.die();
  await calm();
  welcome(browser.made[1]!, { seq: 1, ackSeq: 0 });
  await calm();
  assert.equal(sentBy(browser.made[1]!, 'hello')[0].lastSeq, 0);
  browser.made[1]!.deliver({ ...message(1), redelivered: true });
  await calm();
  assert.deepEqual([heir.got, other.got], [[1], [1]]);
  assert.deepEqual(
    sentBy(browser.made[1]!, 'ack').map(({ seq }) => seq),
    [1],
  );
});

test('R-4.7 a channel is subscribed to once for all, and left with the last tab that wants it', async () => {
  const { browser, tabs } = await three();
  const socket = browser.made[0]!;
  tabs[1]!.client.subscribe('rooms:a');
  tabs[2]!.client.subscribe('rooms:a');
  await calm();
  assert.equal(sentBy(socket, 'subscribe').length, 1);
  socket.deliver({ type: 'subscribed', channel: 'rooms:a', position: '1', recovered: false, reason: 'new' });
  socket.deliver({ type: 'event', channel: 'rooms:a', position: '2', ts: 1, payload: 'e' });
  // the leader has a handler for events too, and did not subscribe: it is told what its connection brings
  await calm();
  assert.deepEqual([tabs[1]!.events, tabs[2]!.events], [['e'], ['e']]);
  tabs[1]!.client.unsubscribe('rooms:a');
  await calm();
  assert.equal(sentBy(socket, 'unsubscribe').length, 0);
  tabs[2]!.die();
  await calm();
  assert.equal(sentBy(socket, 'unsubscribe').length, 1);
});

test('R-1.12 close() in the leading tab hands over; the last one closes the connection', async () => {
  const { browser, tabs } = await three();
  await tabs[0]!.client.close();
  await calm();
  assert.equal(tabs[0]!.client.state, 'closed');
  assert.equal(browser.made.length, 2);
  assert.equal(browser.made[0]!.closedBy!.code, 1000);
  welcome(browser.made[1]!);
  await calm();
  assert.equal(tabs[1]!.client.state, 'online');
  await tabs[1]!.client.close();
  await tabs[2]!.client.close();
  await calm();
  assert.equal(browser.alive.length, 0);
  assert.equal(browser.clock.timers.length, 0);
  tabs[0]!.client.connect();
  await calm();
  assert.equal(browser.alive.length, 1, 'and it can begin anew');
});

test('R-1.12 close() and connect() at once make one connection, and the others are heard again', async () => {
  const browser = new Browser();
  const tab = browser.open();
  tab.client.connect();
  await calm();
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  const closing = tab.client.close();
  tab.client.connect();
  await closing;
  await calm();
  assert.equal(browser.made.length, 2);
  assert.ok(browser.made[0]!.closedBy, 'the first one is closed');
  welcome(browser.made[1]!);
  await calm();
  assert.equal(tab.client.state, 'online');
  const second = browser.open();
  second.client.connect();
  await calm();
  assert.equal(browser.made.length, 2, 'they share it');
  assert.equal(second.client.state, 'online');
});

test('R-1.13 logout() in one tab logs all of them out, and nothing is left', async () => {
  const { browser, tabs } = await three();
  const pending = tabs[1]!.client.send({ user: 'eve' }, 'hi');
  await calm();
  await tabs[2]!.client.logout();
  await calm();
  await assert.rejects(pending, { code: 'logged_out' });
  for (const tab of tabs) assert.equal(tab.client.state, 'closed');
  assert.equal(browser.alive.length, 0);
  assert.deepEqual(await browser.store.keys(''), []);
  assert.equal(browser.clock.timers.length, 0);
});

test('R-1.13 two accounts in two tabs have a connection each', async () => {
  const browser = new Browser();
  for (const user of ['bob', 'eve']) browser.open(user).client.connect();
  await calm();
  assert.equal(browser.made.length, 2);
});

test('R-1.9 a final end is final for all tabs, until one asks', async () => {
  const { browser, tabs } = await three();
  browser.made[0]!.end(4410, 'kicked');
  await calm();
  await browser.clock.advance(3_600_000);
  for (const tab of tabs) assert.equal(tab.client.state, 'closed');
  assert.equal(browser.made.length, 1);
  tabs[1]!.client.connect();
  await calm();
  assert.equal(browser.made.length, 2);
});

test('where tabs.js cannot be loaded it is tried again, and what was asked meanwhile is done', async () => {
  const browser = new Browser();
  browser.parts.reachable = false;
  const tab = browser.open();
  const told: unknown[] = [];
  tab.client.on('telemetry', ({ type, reason }) => void (type === 'load_failed' && told.push(reason)));
  tab.client.connect();
  await calm();
  assert.equal(browser.made.length, 0);
  browser.parts.reachable = true;
  await browser.clock.advance(2000);
  await calm();
  assert.deepEqual(told, ['tabs.js: TypeError: Failed to fetch dynamically imported module']);
  assert.equal(browser.made.length, 1);
  const other = browser.open();
  other.client.connect();
  await calm();
  assert.equal(browser.made.length, 1); // they share
});

test('a page that lacks tabs.js is a client of its own, after three tries', async () => {
  const browser = new Browser();
  browser.parts.reachable = false;
  const tabs = [browser.open(), browser.open()];
  const told: unknown[] = [];
  tabs[0]!.client.on('telemetry', ({ type }) => void (type === 'load_failed' && told.push(type)));
  for (const tab of tabs) tab.client.connect();
  await calm();
  for (let i = 0; i < 20; i++) await browser.clock.advance(500);
  assert.equal(told.length, 3);
  assert.equal(browser.parts.asked, 6);
  assert.equal(browser.alive.length, 2);
  for (const socket of browser.alive) socket.open();
  await calm();
  const names = browser.alive.map(({ sent }) => JSON.parse(sent[0]!).clientId as string);
  assert.notEqual(names[0], names[1]);
});
