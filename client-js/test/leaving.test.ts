// What happens at the same time as close() and logout(), in one client and in tabs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../src/store/memory.js';
import type { Store } from '../src/types.js';
import { Bench } from './bench.js';
import { Browser, calm, sentBy, three, welcome } from './browser.js';
import { settled } from './fakes.js';

/** Each call takes some turns, one after the other, as IndexedDB's do. */
function slow(inner: Store): Store {
  let last: Promise<unknown> = Promise.resolve();
  const later = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(async () => {
      for (let i = 0; i < 3; i++) await settled();
      return run();
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    get: (key) => later(() => inner.get(key)),
    set: (entries) => later(() => inner.set(entries)),
    delete: (keys) => later(() => inner.delete(keys)),
    keys: (prefix) => later(() => inner.keys(prefix)),
    close: () => later(() => inner.close()),
  };
}

test('R-1.13 what is sent right after logout() is of the next account, and nothing of the last one comes back', async () => {
  const store = memoryStore();
  const bench = new Bench({}, slow(store));
  const online = async (): Promise<any> => {
    bench.client.connect();
    await calm(100);
    bench.socket.open();
    await calm(100);
    const [hello] = bench.sent('hello');
    await bench.deliver({
      ...{ type: 'welcome', resumed: hello.lastSeq !== undefined, epoch: 'e', seq: 7, ackSeq: 7, sessionToken: 's' },
      ...{ heartbeat: { intervalMs: 25_000, timeoutMs: 8000 }, limits: { dedupWindowMs: 600_000 } },
    });
    await calm(100);
    return hello;
  };
  const first = await online();
  bench.client.send({ user: 'eve' }, 'old', { clientMsgId: 'old' }).catch(() => {});
  await calm(1); // it is being written
  const out = bench.client.logout();
  void bench.client.send({ user: 'eve' }, 'fresh', { clientMsgId: 'fresh' });
  await out;
  await calm(100);
  const rows = (await store.keys('')).filter((key) => key.includes('/out/'));
  assert.equal(rows.length, 1, 'the new one is stored');
  const second = await online();
  assert.notEqual(second.clientId, first.clientId);
  assert.deepEqual([second.lastSeq, second.epoch, second.sessionToken], [undefined, undefined, undefined]);
  assert.deepEqual(
    bench.sent('send').map(({ clientMsgId }) => clientMsgId),
    ['fresh'],
  );
});

test('close() settles though the store hangs, and the client can connect again', async () => {
  const inner = memoryStore();
  let hangs = false;
  const store: Store = { ...inner, set: (entries) => (hangs ? new Promise(() => {}) : inner.set(entries)) };
  const bench = await new Bench({}, store).online();
  hangs = true;
  void bench.client.send({ user: 'eve' }, 1);
  await bench.clock.advance(1000);
  let closed = false;
  void bench.client.close().then(() => (closed = true));
  await bench.clock.advance(12_000);
  assert.ok(closed);
  bench.client.connect();
  await bench.clock.advance(1000);
  assert.equal(bench.made.length, 2);
  void bench.client.close();
  await bench.clock.advance(30_000);
  assert.deepEqual(bench.clock.timers, []);
});

async function two(): Promise<{ browser: Browser; tabs: ReturnType<Browser['open']>[] }> {
  const browser = new Browser();
  const tabs = [browser.open(), browser.open()];
  for (const tab of tabs) tab.client.connect();
  await calm(60);
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm(60);
  return { browser, tabs };
}

test('R-1.13 a logout() of the leading tab is one of all tabs, whatever another one wants meanwhile', async () => {
  const { browser, tabs } = await two();
  const out = tabs[0]!.client.logout();
  tabs[1]!.client.subscribe('rooms:a');
  await out;
  await calm(60);
  for (let i = 0; i < 20; i++) await browser.clock.advance(1000);
  assert.deepEqual(
    tabs.map(({ client }) => client.state),
    ['closed', 'closed'],
  );
  assert.equal(browser.made.length, 1);
});

test('R-1.13 no tab leads on for the old account, though it gets the lock before it hears of the logout()', async () => {
  for (const [who, closes] of [
    [0, false],
    [1, false],
    [0, true],
    [1, true],
  ] as const) {
    const { browser, tabs } = await two();
    browser.talkTurns = 20; // nothing keeps the browser from giving a lock before it brings a message
    const out = tabs[who]!.client.logout();
    if (closes) void tabs[who]!.client.close();
    const late = browser.open(); // the leader hears it while it logs out
    late.client.connect();
    await calm(300);
    await out;
    await browser.clock.advance(20_000);
    await calm(300);
    assert.deepEqual(
      [...tabs, late].map(({ client }) => client.state),
      ['closed', 'closed', 'closed'],
    );
    // where the leader could not know of the late one, that one connects, and hears of the logout then
    assert.equal(browser.made.length, who === 1 && closes ? 2 : 1, 'connections');
    assert.deepEqual(browser.alive, []);
    assert.deepEqual(await browser.store.keys(''), []);
    tabs[1]!.client.connect(); // and each may begin anew
    await calm(300);
    assert.equal(browser.alive.length, 1);
  }
});

test('R-1.13 what a tab sends during a logout() is told so, and not sent', async () => {
  for (const who of [0, 1]) {
    const { browser, tabs } = await two();
    const out = tabs[who]!.client.logout();
    const sent = tabs[who]!.client.send({ user: 'eve' }, 1);
    await out;
    await assert.rejects(sent, { code: 'logged_out', uncertain: false });
    tabs[who]!.client.connect();
    await calm(60);
    welcome(browser.made[1]!, { resumed: false, reason: 'new' });
    await calm(60);
    assert.deepEqual(sentBy(browser.made[1]!, 'send'), []);
  }
});

test('R-5.2 a tab that closes hears what becomes of what it asked for', async () => {
  const { browser, tabs } = await three();
  const { client } = tabs[1]!;
  const [first, second] = ['a', 'b'].map((id) => client.send({ user: 'eve' }, id, { clientMsgId: id }));
  const page = client.history();
  await calm();
  const closed = client.close();
  await calm();
  browser.made[0]!.deliver({ type: 'sent', clientMsgId: 'a', msgId: 'M' });
  const refusal = { code: 'forbidden', message: 'no', retryable: false, clientMsgId: 'b' };
  browser.made[0]!.deliver({ type: 'error', ...refusal });
  for (const request of browser.requests)
    request.answer(200, { epoch: 'e', latestSeq: 0, earliestSeq: 1, more: false, messages: [] });
  assert.deepEqual(await first, { msgId: 'M' });
  await assert.rejects(second!, { code: 'forbidden' });
  assert.deepEqual((await page).messages, []);
  await closed;
  client.connect();
  await calm();
  assert.equal(sentBy(browser.made[0]!, 'send').length, 2, 'nothing goes out again');
});

test('a tab that closes and connects at once keeps its channels, however late it is known to be gone', async () => {
  const { browser, tabs } = await two();
  const { client, events } = tabs[1]!;
  client.subscribe('rooms:a');
  await calm(60);
  browser.lockTurns = 10;
  void client.close();
  client.subscribe('rooms:a');
  client.connect();
  await calm(200);
  const [socket] = browser.made;
  const asked = socket!.sent.filter((text) => text.includes('subscribe"')).map((text) => JSON.parse(text).type);
  assert.equal(asked[asked.length - 1], 'subscribe');
  socket!.deliver({ type: 'subscribed', channel: 'rooms:a', position: '6', recovered: true });
  socket!.deliver({ type: 'event', channel: 'rooms:a', position: '7', ts: 1, payload: 7 });
  await calm(60);
  assert.deepEqual(events, [7]);
});
