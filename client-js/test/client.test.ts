import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HoldfastClient } from '../src/client.js';
import { memoryStore } from '../src/store/memory.js';
import type { Store } from '../src/types.js';
import { Bench, HOME, message } from './bench.js';
import { seeded, settled, socketsInto } from './fakes.js';

test('without a WebSocket the error names the option', () => {
  const client = new HoldfastClient({ url: 'ws://a' }, { webSocket: undefined });
  if (typeof WebSocket === 'undefined')
    assert.throws(() => client.connect(), { code: 'no_websocket', message: /webSocket/ });
  assert.throws(() => new HoldfastClient({ url: 'nowhere' }), { code: 'no_url' });
  assert.throws(() => new HoldfastClient({ url: [] }), { code: 'no_url' });
});

test('R-1.5 connecting lasts 8 s at most, the asking for the token included', async () => {
  const bench = new Bench({ token: () => new Promise<string>(() => {}), user: 'bob' });
  bench.client.connect();
  await bench.clock.advance(7999);
  assert.equal(bench.client.state, 'connecting');
  await bench.clock.advance(1);
  assert.equal(bench.client.state, 'backoff');
});

test('R-1.10 of several URLs each attempt takes the next one; a function is asked each time', async () => {
  const list = new Bench({ url: ['ws://a/v1/ws', 'ws://b/v1/ws'] });
  let asked = 0;
  const own = new Bench({ url: () => `ws://n${++asked}/v1/ws` });
  for (const bench of [list, own]) {
    bench.client.connect();
    await settled();
    for (let i = 0; i < 3; i++) {
      bench.socket.end();
      await bench.clock.advance(20_000);
    }
  }
  const urls = list.made.map(({ url }) => url);
  assert.ok(urls.every((url, i) => i === 0 || url !== urls[i - 1]));
  assert.deepEqual(
    own.made.slice(0, 4).map(({ url }) => url),
    [1, 2, 3, 4].map((n) => `ws://n${n}/v1/ws`),
  );
});

test('R-1.9 refused handshakes: 403 is final, 503 heeds Retry-After', async () => {
  const final = new Bench();
  final.client.connect();
  await settled();
  final.socket.refuse(403);
  assert.equal(final.client.state, 'closed');
  const later = new Bench();
  later.client.connect();
  await settled();
  later.socket.refuse(503, { 'retry-after': '30' });
  later.signals.tell('online'); // no kick comes before what the server asked for
  await later.clock.advance(29_999);
  assert.equal(later.made.length, 1);
  await later.clock.advance(3100);
  assert.equal(later.made.length, 2);
});

test('R-3.3 a timer that runs late is no miss: the probe is sent again', async () => {
  const bench = await new Bench().online();
  await bench.clock.advance(25_000);
  assert.deepEqual(bench.socket.sent.filter((text) => text === 'ping').length, 1);
  bench.clock.time += 60_000; // the process slept
  await bench.clock.advance(0);
  assert.equal(bench.client.state, 'online');
  assert.equal(bench.client.metrics().misses, 0);
  await bench.clock.advance(2999);
  assert.equal(bench.client.state, 'online', 'the jump asks with a limit of 3 s');
  await bench.clock.advance(5000);
  assert.equal(bench.made[0]!.closedBy!.reason, 'heartbeat_timeout');
  assert.ok(bench.types().includes('heartbeat_timeout'));
});

test('R-3.1 R-3.2 a ping follows the last frames in both directions, and any frame is an answer', async () => {
  const bench = await new Bench({ preset: 'weak' }).online();
  const pings = (): number => bench.socket.sent.filter((text) => text === 'ping').length;
  await bench.clock.advance(11_000);
  bench.client.watch(['eve']);
  await bench.deliver({ type: 'presence', user: 'eve', status: 'offline', since: 0, lastSeen: 0 });
  await bench.clock.advance(11_999);
  assert.equal(pings(), 0, 'the preset is 12 s, and frames went out and came at 11 s');
  await bench.clock.advance(1);
  assert.equal(pings(), 1);
  await bench.deliver(message(1));
  await bench.clock.advance(8000);
  assert.equal(bench.client.metrics().misses, 0);
});

test('R-1.6 a page seen again probes within 3 s; an answer keeps the connection', async () => {
  const bench = await new Bench().online();
  bench.signals.tell('visible');
  assert.equal(bench.socket.sent.at(-1), 'ping');
  bench.socket.deliver('pong');
  await bench.clock.advance(3000);
  assert.equal(bench.client.state, 'online');
  bench.signals.tell('change');
  await bench.clock.advance(3000);
  assert.equal(bench.client.state, 'backoff');
  assert.deepEqual(bench.socket.closedBy, { code: 4000, reason: 'heartbeat_timeout' });
});

test('R-1.6 a probe asks anew where the last ping was answered already', async () => {
  const bench = await new Bench({ preset: 'weak' }).online();
  await bench.clock.advance(12_000);
  bench.socket.deliver('pong');
  const before = bench.socket.sent.length;
  bench.signals.tell('visible');
  assert.deepEqual(bench.socket.sent.slice(before), ['ping']);
  await bench.clock.advance(3000);
  assert.equal(bench.client.state, 'backoff');
});

test('R-1.6 a clock that jumped probes; without a jump nothing is asked', async () => {
  const bench = await new Bench().online();
  await bench.clock.advance(10_000);
  assert.ok(!bench.types().includes('probe'));
  bench.clock.wall += 3_600_000;
  await bench.clock.advance(5000);
  assert.ok(bench.types().includes('probe'));
});

test('R-1.6 R-1.8 without a network the client rests; with it, it is back in half a second', async () => {
  const bench = await new Bench().online();
  bench.signals.tell('offline');
  await bench.clock.advance(3000);
  assert.equal(bench.client.state, 'offline-wait');
  assert.equal(bench.clock.timers.length, 0);
  bench.signals.tell('online');
  await bench.clock.advance(500);
  assert.equal(bench.client.state, 'connecting');
});

test('R-1.3 R-1.2 nothing that an old socket says counts; after close() nothing reconnects', async () => {
  const bench = await new Bench().online();
  const old = bench.socket;
  old.end();
  await bench.online();
  old.deliver(message(1));
  old.end(4410, 'kicked');
  await settled();
  assert.equal(bench.client.state, 'online');
  assert.deepEqual(bench.got, []);
  await bench.client.close();
  bench.socket.end();
  bench.signals.tell('online');
  await bench.clock.advance(1e6);
  assert.equal(bench.client.state, 'closed');
  assert.equal(bench.made.length, 2);
  assert.equal(bench.clock.timers.length, 0);
});

test('R-5.1 a known msgId under another seq is acknowledged, not handed over again', async () => {
  const bench = await new Bench().online();
  await bench.deliver(message(1, 'x'), message(2, 'x'), message(3));
  assert.deepEqual(bench.got, [1, 3]);
  await settled();
  assert.equal(bench.sent('ack').at(-1).seq, 3);
  assert.equal(bench.client.metrics().duplicates, 1);
});

test('R-5.1 what is handed over slowly is acknowledged after 32 messages or 100 ms', async () => {
  const bench = new Bench();
  let waiting: (() => void)[] = [];
  bench.client.on('message', () => new Promise<void>((resolve) => void waiting.push(resolve)));
  await bench.online();
  await bench.deliver(...Array.from({ length: 100 }, (_, i) => message(i + 1)));
  const through = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) {
      waiting.splice(0).forEach((run) => run());
      await settled();
    }
  };
  await through(31);
  assert.deepEqual(bench.sent('ack'), []);
  await through(1);
  assert.deepEqual(
    bench.sent('ack').map(({ seq }) => seq),
    [32],
  );
  await through(3);
  await bench.clock.advance(100);
  assert.deepEqual(
    bench.sent('ack').map(({ seq }) => seq),
    [32, 35],
  );
});

test('R-5.1 without a handler messages wait, unacknowledged', async () => {
  const bench = new Bench();
  const client = new HoldfastClient(
    { url: 'ws://a', user: 'bob' },
    { clock: bench.clock, signals: bench.signals, store: memoryStore(), webSocket: socketsInto(bench.made) },
  );
  client.connect();
  await settled();
  bench.socket.open();
  await settled();
  await bench.deliver({ type: 'welcome', resumed: false, reason: 'new', epoch: 'e', seq: 0, ackSeq: 0 }, message(1));
  await bench.clock.advance(1000);
  assert.deepEqual(bench.sent('ack'), []);
  const got: number[] = [];
  client.on('message', ({ seq }) => void got.push(seq));
  await settled();
  assert.deepEqual(got, [1]);
  assert.deepEqual(bench.sent('ack'), [{ type: 'ack', seq: 1 }]);
});

test('R-5.2 the outbox is bounded: the oldest goes, and the app is told', async () => {
  const bench = new Bench({ outboxMax: 3 });
  const outcomes = [1, 2, 3, 4].map((n) => bench.client.send({ user: 'eve' }, n).catch((error) => error));
  await settled();
  const error = await outcomes[0];
  assert.equal(error.code, 'overflow');
  assert.equal(error.uncertain, false);
  assert.deepEqual(
    bench.dropped.map(({ payload, reason }) => [payload, reason]),
    [[1, 'overflow']],
  );
  await bench.online();
  assert.deepEqual(
    bench.sent('send').map(({ payload }) => payload),
    [2, 3, 4],
  );
});

test('R-5.2 sends of an earlier process go out in order, and their end is told', async () => {
  const store = memoryStore();
  const first = new Bench({}, store);
  for (let n = 0; n < 100; n++) void first.client.send({ user: 'eve' }, n).catch(() => {});
  await settled();
  const next = new Bench({}, store, seeded(2));
  const told: unknown[] = [];
  next.client.on('sent', ({ msgId }) => void told.push(msgId));
  await next.online();
  assert.equal(next.sent('send').length, 64, 'at most 64 unanswered');
  for (let n = 0; n < 100; n++) {
    const frame = next.sent('send')[n];
    await next.deliver({ type: 'sent', clientMsgId: frame.clientMsgId, msgId: `M${frame.payload}` });
  }
  assert.deepEqual(
    told,
    Array.from({ length: 100 }, (_, n) => `M${n}`),
  );
  await settled();
  assert.deepEqual(
    (await store.keys(HOME)).filter((key) => key.includes('/out/')),
    [],
  );
});

test('R-5.3 the same clientMsgId again is the same message; with another payload it is refused', async () => {
  const bench = await new Bench().online();
  const twice = [1, 2].map(() => bench.client.send({ user: 'eve' }, 'a', { clientMsgId: 'x' }));
  await assert.rejects(bench.client.send({ user: 'eve' }, 'b', { clientMsgId: 'x' }), { code: 'id_conflict' });
  await settled();
  assert.equal(bench.sent('send').length, 1);
  await bench.deliver({ type: 'sent', clientMsgId: 'x', msgId: 'M' });
  assert.deepEqual(await Promise.all(twice), [{ msgId: 'M' }, { msgId: 'M' }]);
});

test('R-5.2 of one message there are never two copies on a connection that have no answer', async () => {
  const bench = await new Bench().online();
  for (const id of ['a', 'b']) void bench.client.send({ user: 'eve' }, id, { clientMsgId: id });
  await settled();
  const sent = (): string[] => bench.sent('send').map(({ clientMsgId }) => clientMsgId);
  const refuse = (clientMsgId: string, code: string): Promise<void> =>
    bench.deliver({ type: 'error', code, message: code, retryable: true, clientMsgId });
  await refuse('a', 'overloaded');
  await bench.clock.advance(5000);
  assert.deepEqual(sent(), ['a', 'b'], 'the refusal of b is under way');
  await refuse('b', 'out_of_order');
  await bench.clock.advance(5000);
  assert.deepEqual(sent(), ['a', 'b', 'a', 'b']);
});

test('R-5.3 no clock that is set back makes an old send young', async () => {
  const bench = await new Bench().online();
  const outcome = bench.client.send({ user: 'eve' }, 1);
  await settled();
  bench.socket.end();
  bench.signals.tell('offline');
  bench.clock.time += 700_000;
  bench.clock.wall -= 700_000;
  bench.signals.tell('online');
  await bench.online();
  await assert.rejects(outcome, { code: 'uncertain', uncertain: true });
  assert.deepEqual(bench.sent('send'), []);
});

test('a payload above what the welcome allows is told as dropped', async () => {
  const bench = await new Bench().online({ limits: { payloadBytes: 5 } });
  await assert.rejects(bench.client.send({ user: 'eve' }, 'long'), { code: 'payload_too_large' });
  assert.equal(bench.dropped[0].reason, 'payload_too_large');
});

test('R-1.13 another account finds nothing of this one, and logout() leaves nothing', async () => {
  const store = memoryStore();
  const bob = new Bench({}, store);
  void bob.client.send({ user: 'eve' }, 1).catch(() => {});
  await bob.online({ seq: 7 });
  const eve = await new Bench({ user: 'eve' }, store, seeded(2)).online();
  assert.equal(eve.sent('hello')[0].lastSeq, undefined);
  assert.deepEqual(eve.sent('send'), []);
  await bob.client.logout();
  assert.deepEqual(await store.keys(HOME), []);
  assert.ok((await store.keys('')).length > 0, 'what is the other one’s stays');
  assert.equal(bob.dropped[0].reason, 'logged_out');
  await bob.online();
  assert.equal(bob.sent('hello')[0].lastSeq, undefined);
});

test('R-1.13 a token of another user ends it, before anything of this one is told', async () => {
  const token = (sub: string): string => `h.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.s`;
  let sub = 'bob';
  const bench = new Bench({ user: undefined as never, token: () => token(sub) });
  await bench.online();
  sub = 'eve';
  bench.socket.end();
  await bench.clock.advance(2000);
  assert.equal(bench.client.state, 'closed');
  assert.equal(bench.made.length, 1);
});

test('R-4.1 the clientId is kept, and attempts grow over processes and clocks', async () => {
  const store = memoryStore();
  const hellos = [];
  for (const wall of [2_000_000, 1_000_000]) {
    const bench = new Bench({}, store, seeded(wall));
    bench.clock.wall = wall;
    await bench.online();
    hellos.push(bench.sent('hello')[0]);
    await bench.client.close();
  }
  assert.equal(hellos[0].clientId, hellos[1].clientId);
  assert.ok(hellos[1].attempt > hellos[0].attempt);
});

test('a store that fails is told; acknowledgements wait for it, but not until the server loses patience', async () => {
  const store = memoryStore();
  const bench = await new Bench({}, store).online();
  const set = store.set;
  store.set = () => Promise.reject(new Error('full'));
  await bench.deliver(message(1));
  await bench.clock.advance(9000);
  assert.ok(bench.types().includes('storage_failed'));
  assert.deepEqual(bench.sent('ack'), []);
  await bench.clock.advance(1100);
  assert.deepEqual(
    bench.sent('ack').map(({ seq }) => seq),
    [1],
  );
  store.set = set;
  await bench.deliver(message(2));
  assert.deepEqual(
    bench.sent('ack').map(({ seq }) => seq),
    [1, 2],
  );
  assert.equal(((await store.get(`${HOME}session`)) as any).lastSeq, 2);
});

test('a store that never answers stops nothing', async () => {
  const store: Store = { ...memoryStore(), keys: () => new Promise(() => {}) };
  const bench = new Bench({}, store);
  bench.client.connect();
  await settled();
  await bench.clock.advance(6000);
  await bench.online();
});

test('R-4.7 a reader that is slower than its channel does not grow: the server keeps the rest', async () => {
  const bench = new Bench();
  let hold = true;
  const got: number[] = [];
  bench.client.on('event', async ({ payload }) => {
    while (hold) await new Promise((resolve) => setImmediate(resolve));
    got.push(payload as number);
  });
  bench.client.subscribe('rooms:a');
  await bench.online();
  const position = (n: number): string => String(n).padStart(5, '0');
  const event = (n: number): object => ({
    type: 'event',
    channel: 'rooms:a',
    position: position(n),
    ts: 1,
    payload: n,
  });
  await bench.deliver({
    type: 'subscribed',
    channel: 'rooms:a',
    position: position(0),
    recovered: false,
    reason: 'new',
  });
  await bench.deliver(...Array.from({ length: 1500 }, (_, i) => event(i + 1)));
  assert.deepEqual(bench.sent('unsubscribe').length, 1);
  hold = false;
  for (let i = 0; i < 4000 && bench.sent('subscribe').length === 0; i++) await settled();
  const [again] = bench.sent('subscribe');
  assert.ok(again.position < position(1500));
  const last = Number(again.position);
  await bench.deliver(event(1400)); // of the old subscription: ignored
  await bench.deliver({ type: 'subscribed', channel: 'rooms:a', position: again.position, recovered: true });
  for (let n = last + 1; n <= 1500; n++) await bench.deliver(event(n));
  for (let i = 0; i < 3000 && got.length < 1500; i++) await settled();
  assert.deepEqual(
    got,
    Array.from({ length: 1500 }, (_, i) => i + 1),
  );
});

test('R-4.7 what does not fit into the hello follows in frames of its own', async () => {
  const bench = new Bench();
  const users = Array.from({ length: 1000 }, (_, i) => `user-${i}`.padEnd(100, 'x'));
  bench.client.watch(users);
  for (let i = 0; i < 300; i++) bench.client.subscribe(`rooms:${'é'.repeat(200)}${i}`);
  await bench.online();
  for (const text of bench.socket.sent) assert.ok(Buffer.byteLength(text) <= 64 * 1024 + 200);
  const watched = [...bench.sent('hello'), ...bench.sent('watch')].flatMap(({ watch, users }) => watch ?? users ?? []);
  const channels = [...bench.sent('hello'), ...bench.sent('subscribe')].flatMap(({ channels }) => channels ?? []);
  assert.deepEqual(new Set(watched).size, 1000);
  assert.equal(new Set(channels.map(({ channel }: any) => channel)).size, 300);
});

test('R-4.7 a subscription that the server ends is tried again, or told', async () => {
  const bench = new Bench();
  const told: unknown[] = [];
  bench.client.on('unsubscribed', ({ channel, reason, retrying }) => void told.push([channel, reason, retrying]));
  bench.client.subscribe('rooms:a');
  bench.client.subscribe('halls:b');
  await bench.online();
  const error = (channel: string, code: string, retryable: boolean): object => ({
    type: 'error',
    code,
    message: '',
    retryable,
    channel,
  });
  await bench.deliver(error('rooms:a', 'unavailable', true), error('halls:b', 'no_such_channel', false));
  assert.deepEqual(told, [
    ['rooms:a', 'unavailable', true],
    ['halls:b', 'no_such_channel', false],
  ]);
  await bench.clock.advance(2000);
  assert.deepEqual(
    bench.sent('subscribe').map(({ channel }) => channel),
    ['rooms:a'],
  );
  bench.socket.end();
  await bench.online();
  assert.deepEqual(bench.sent('hello')[0].channels, [{ channel: 'rooms:a' }]);
});

test('R-4.4 where history.js cannot be loaded it is tried again after a backoff, and nothing that is owed is lost', async () => {
  const bench = new Bench({ backoff: { minMs: 1000, capMs: 1000, jitter: 'equal' } });
  const pages: number[] = [];
  bench.client.on('history', ({ to }) => void pages.push(to));
  bench.parts.reachable = false;
  await bench.online({ resumed: false, reason: 'new', seq: 3, ackSeq: 0 });
  assert.equal(bench.parts.asked, 1);
  const failed = bench.telemetry.filter(({ type }) => type === 'history_failed');
  assert.match(failed[0]!.reason!, /^HoldfastError: history\.js.*Failed to fetch/);
  await assert.rejects(bench.client.history(), { name: 'HoldfastError', code: 'not_loaded' });
  assert.equal(bench.parts.asked, 2);
  await bench.clock.advance(1000);
  assert.equal(bench.parts.asked, 3);
  assert.equal(bench.client.state, 'online');
  bench.parts.reachable = true;
  await bench.clock.advance(999);
  assert.equal(bench.parts.asked, 3);
  await bench.clock.advance(1);
  assert.equal(bench.requests.length, 1);
  const messages = [1, 2, 3].map((seq) => ({ seq, msgId: `m${seq}`, from: 'a', ts: 1, payload: seq }));
  bench.requests[0]!.answer(200, { epoch: 'e', latestSeq: 3, earliestSeq: 1, more: false, messages });
  await settled();
  assert.deepEqual(pages, [3]);
  void bench.client.history();
  await settled();
  assert.equal(bench.parts.asked, 4); // what was loaded is kept
});

test('a client that is closed while history.js is loaded asks nothing', async () => {
  const bench = await new Bench().online();
  const page = bench.client.history();
  await bench.client.close();
  await assert.rejects(page, { code: 'unreachable' });
  assert.equal(bench.requests.length, 0);
  assert.equal(bench.clock.timers.length, 0);
});

test('R-8.1 R-8.2 telemetry is plain JSON and the numbers add up', async () => {
  const bench = await new Bench().online({ connId: 'c1' });
  await bench.deliver({ type: 'sync', cursor: 0 });
  bench.socket.end(1012, 'service_restart');
  await bench.online();
  await bench.deliver({ type: 'sync', cursor: 0 });
  const { attempts, connects, closes, outages, byAttempt, recoverMs } = bench.client.metrics();
  assert.deepEqual(
    [attempts, connects, closes, outages.short, byAttempt[0], recoverMs.count],
    [2, 2, { '1012': 1 }, 1, 1, 1],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(bench.telemetry)), bench.telemetry);
  const closed = bench.telemetry.find(({ type }) => type === 'closed')!;
  assert.equal(closed.connId, 'c1');
  assert.equal(closed.code, 1012);
  assert.ok(bench.types().includes('synced'));
});

test('a handler that throws or closes does no harm', async () => {
  const bench = new Bench();
  bench.client.on('state', ({ state }) => {
    if (state === 'online') void bench.client.close();
    throw new Error('mine');
  });
  bench.client.connect();
  await settled();
  bench.socket.open();
  await settled();
  await bench.deliver({ type: 'welcome', resumed: false, reason: 'new', epoch: 'e', seq: 0, ackSeq: 0 }, message(1));
  assert.equal(bench.client.state, 'closed');
  assert.deepEqual(bench.got, []);
  assert.equal(bench.clock.timers.length, 0);
  assert.ok(bench.types().includes('handler_failed'));
});

test('R-4.7 a position goes on with the events that were handed over, not with those that came', async () => {
  const store = memoryStore();
  const bench = new Bench({}, store);
  const waiting: (() => void)[] = [];
  bench.client.on('event', () => new Promise<void>((resolve) => void waiting.push(resolve)));
  bench.client.subscribe('rooms:a');
  await bench.online();
  await bench.deliver({ type: 'subscribed', channel: 'rooms:a', position: '0', recovered: false, reason: 'new' });
  for (const n of [1, 2, 3]) {
    await bench.deliver({ type: 'event', channel: 'rooms:a', position: String(n), ts: 1, payload: n });
  }
  waiting.shift()!();
  await settled();
  bench.socket.end();
  await bench.online();
  assert.deepEqual(bench.sent('hello')[0].channels, [{ channel: 'rooms:a', position: '1' }]);
  await bench.client.close();
  assert.deepEqual(await store.get(`${HOME}channels`), { 'rooms:a': '1' });
});

test('R-5.1 what the handler of a channel that was left did not take is not tried again, nor in the way of a later one', async () => {
  const bench = new Bench();
  const tried: unknown[] = [];
  let fail = (): void => {};
  bench.client.on('event', ({ payload }) => {
    tried.push(payload);
    if (payload === 'old') return new Promise<void>((_, reject) => (fail = () => reject(new Error('not yet'))));
    return undefined;
  });
  bench.client.subscribe('rooms:a');
  await bench.online();
  const subscribed = { type: 'subscribed', channel: 'rooms:a', position: '1', recovered: false };
  const event = (position: string, payload: string): object => ({
    type: 'event',
    channel: 'rooms:a',
    position,
    payload,
  });
  await bench.deliver(subscribed, event('2', 'old'));
  bench.client.unsubscribe('rooms:a');
  bench.client.subscribe('rooms:a');
  await bench.deliver({ ...subscribed, position: '2' }, event('3', 'new'));
  fail();
  await bench.clock.advance(60_000);
  assert.deepEqual(tried, ['old', 'new']);
});
