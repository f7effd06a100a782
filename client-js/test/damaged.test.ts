// Rows of the store that cannot be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localStore } from '../src/store/browser.js';
import { memoryStore } from '../src/store/memory.js';
import type { Options, Store } from '../src/types.js';
import { Bench, HOME } from './bench.js';
import { settled } from './fakes.js';

const NEVER_SENT = { clientMsgId: 'a', to: { user: 'alice' }, payload: 1, createdAt: 1 };
const SENT = { clientMsgId: 'b', to: { user: 'alice' }, payload: 2, createdAt: 1, firstSentAt: 1795998640000 };

async function withRows(rows: Record<string, unknown>, options: Partial<Options> = {}): Promise<[Bench, Store]> {
  const store = memoryStore();
  await store.set(Object.fromEntries(Object.entries(rows).map(([key, value]) => [HOME + key, value])));
  return [new Bench(options, store), store];
}

const unreadable = (bench: Bench): (string | undefined)[] =>
  bench.telemetry.filter(({ type }) => type === 'storage_failed').map(({ reason }) => reason);

test('R-5.2 without its session a client is a new one, told so, and keeps its outbox', async () => {
  const rows = { channels: { 'rooms:lobby': '07' }, 'out/000000000001': NEVER_SENT, 'out/000000000002': SENT };
  const [bench] = await withRows({ session: '{"clientId":"bob-ph', ...rows });
  bench.client.subscribe('rooms:lobby');
  await bench.online({ resumed: false, reason: 'new' });
  assert.deepEqual(unreadable(bench), ['unreadable session']);
  const [hello] = bench.sent('hello');
  assert.equal(hello.clientId.length, 22);
  assert.equal(hello.lastSeq, undefined);
  assert.equal(hello.channels[0].position, '07');
  assert.deepEqual(
    bench.sent('send').map(({ clientMsgId }) => clientMsgId),
    ['a'],
  );
  // under another name the server would take it for another message
  assert.deepEqual(
    bench.dropped.map(({ clientMsgId, reason, uncertain }) => [clientMsgId, reason, uncertain]),
    [['b', 'uncertain', true]],
  );
});

test('R-4.4 with its own name a client without its session asks for all there is', async () => {
  const [bench] = await withRows({ session: [], 'out/000000000001': SENT }, { clientId: 'bob-phone' });
  bench.client.on('history', () => {});
  await bench.online({ resumed: false, reason: 'new', seq: 5, ackSeq: 5 }); // what the server knows, and this client no more
  assert.equal(bench.sent('hello')[0].clientId, 'bob-phone');
  assert.match(bench.requests[0]!.url, /after=0&/);
  assert.equal(bench.sent('send')[0].clientMsgId, 'b');
});

test('R-5.2 one damaged field or row does not take the others along', async () => {
  const owed = [{ epoch: 'e', from: 9, to: 3 }];
  const [bench, store] = await withRows({
    session: { clientId: 'bob-phone', attempt: 7, epoch: 'e', lastSeq: 4, owed },
    ...{ seen: 'nonsense', channels: 7 },
    ...{ 'out/000000000001': { clientMsgId: 'x' }, 'out/000000000003': NEVER_SENT },
  });
  await bench.online({ seq: 4, ackSeq: 4 });
  const [{ clientId, lastSeq }] = bench.sent('hello');
  assert.deepEqual({ clientId, lastSeq }, { clientId: 'bob-phone', lastSeq: 4 });
  const rows = ['session', 'seen', 'channels', 'out/000000000001'];
  assert.deepEqual(
    unreadable(bench),
    rows.map((row) => `unreadable ${row}`),
  );
  assert.equal(bench.sent('send')[0].clientMsgId, 'a');
  assert.deepEqual(bench.dropped, []);
  await bench.client.close();
  assert.deepEqual(await store.get(`${HOME}out/000000000001`), { clientMsgId: 'x' }, 'it stays, for a person');
});

test('R-5.2 a cursor without its epoch says nothing', async () => {
  const [bench] = await withRows({ session: { clientId: 'bob-phone', attempt: 7, epoch: 7, lastSeq: 4 } });
  await bench.online({ resumed: false, reason: 'new' });
  assert.equal(bench.sent('hello')[0].lastSeq, undefined);
  assert.deepEqual(unreadable(bench), ['unreadable session']);
});

test('R-5.2 a store that is sound, or empty, is no cause to tell anything', async () => {
  const [bench, store] = await withRows({});
  await bench.client.close();
  await bench.online({ resumed: false, reason: 'new', seq: 5, ackSeq: 2 });
  await bench.client.close();
  const next = new Bench({}, store);
  await next.online({ seq: 5, ackSeq: 5 });
  assert.deepEqual([...unreadable(bench), ...unreadable(next)], []);
});

test('R-5.2 what a later version added to a row is no damage', async () => {
  const owed = [{ epoch: 'e', from: 1, to: 3, added: 1 }];
  const session = {
    clientId: 'bob-phone',
    attempt: 7,
    epoch: 'e',
    lastSeq: 4,
    sessionToken: null,
    unheard: false,
    owed,
  };
  const [bench] = await withRows({
    session: { added: { by: 'a later version' }, ...session },
    'out/000000000001': { ...NEVER_SENT, added: 1 },
  });
  bench.client.on('history', () => {});
  await bench.online({ seq: 4, ackSeq: 4 });
  assert.deepEqual(unreadable(bench), []);
  const [{ clientId, lastSeq }] = bench.sent('hello');
  assert.deepEqual({ clientId, lastSeq }, { clientId: 'bob-phone', lastSeq: 4 });
  assert.match(bench.requests[0]!.url, /after=1&/);
  assert.equal(bench.sent('send')[0].clientMsgId, 'a');
});

test('R-5.2 a row whose text is cut off is damaged, and the others are read', async () => {
  const world = globalThis as any;
  world.localStorage = Object.create({
    getItem: (key: string) => world.localStorage[key] ?? null,
    setItem: (key: string, text: string) => (world.localStorage[key] = text),
    removeItem: (key: string) => delete world.localStorage[key],
  });
  try {
    Object.assign(world.localStorage, { [`${HOME}session`]: '{"clientId":"bob', [`${HOME}seen`]: '["m1"]' });
    const bench = new Bench({}, localStore());
    await bench.online({ resumed: false, reason: 'new' });
    assert.deepEqual(unreadable(bench), ['unreadable session']);
    await bench.client.close();
    assert.equal(world.localStorage[`${HOME}seen`], '["m1"]');
    assert.equal(JSON.parse(world.localStorage[`${HOME}session`]).epoch, 'e');
  } finally {
    delete world.localStorage;
  }
});

test('R-4.7 what is unsubscribed before a slow store was read takes no stored positions along', async () => {
  const store = memoryStore();
  await store.set({ [`${HOME}channels`]: { 'rooms:lobby': '07' } });
  let answer = (): void => {};
  const slow: Store = {
    ...store,
    get: (key) => new Promise((resolve) => (answer = () => resolve(store.get(key)))),
  };
  const bench = new Bench({}, slow);
  bench.client.subscribe('rooms:lobby');
  bench.client.connect();
  await settled();
  bench.client.subscribe('rooms:other');
  bench.client.unsubscribe('rooms:other');
  await bench.clock.advance(2000);
  answer();
  await bench.online({ resumed: false, reason: 'new' });
  assert.equal(bench.sent('hello')[0].channels[0].position, '07');
});
