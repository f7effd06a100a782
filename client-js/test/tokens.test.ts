// tokens that come late, fail or never come, and what waits for the name in them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../src/store/memory.js';
import type { Options } from '../src/types.js';
import { Bench } from './bench.js';
import { settled } from './fakes.js';

const jwt = (sub: string): string => `a.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.c`;

/** A bench whose user only the token names; `give` is what the app's function gives next. */
class Named {
  give: () => string | Promise<string> = () => Promise.reject(new Error('no token now'));
  asked = 0;
  readonly bench: Bench;

  constructor(options: Partial<Options> = {}, store = memoryStore()) {
    const token = (): string | Promise<string> => (this.asked++, this.give());
    this.bench = new Bench({ user: undefined!, token, ...options }, store);
  }
}

const never = (): Promise<string> => new Promise<string>(() => {});

test('R-5.2 a send before the name is known waits for a token, and goes out with it, in order', async () => {
  const store = memoryStore();
  const before = new Named({}, store);
  before.give = () => jwt('bob');
  await before.bench.online();
  before.bench.socket.end();
  void before.bench.client.send({ user: 'eve' }, 'of an earlier process');
  await before.bench.client.close();

  const named = new Named({}, store);
  const { bench } = named;
  const outcomes: unknown[] = [];
  for (const [payload, clientMsgId] of [['one', 'x'] as const, ['two', 'y'] as const, ['one', 'x'] as const]) {
    bench.client.send({ user: 'eve' }, payload, { clientMsgId }).then(
      ({ msgId }) => outcomes.push(msgId),
      (error: { code: string }) => outcomes.push(error.code),
    );
  }
  bench.client.connect();
  await settled();
  assert.equal(bench.client.state, 'backoff');
  assert.deepEqual(outcomes, []);
  named.give = () => jwt('bob');
  await bench.online();
  const sent = bench.sent('send');
  assert.deepEqual(
    sent.map(({ payload }) => payload),
    ['of an earlier process', 'one', 'two'],
  );
  for (const { clientMsgId } of sent) await bench.deliver({ type: 'sent', clientMsgId, msgId: `M${clientMsgId}` });
  assert.deepEqual(outcomes.sort(), ['Mx', 'Mx', 'My']);
  assert.deepEqual(await store.keys('holdfast/1/ws://a/v1/ws/bob/out/'), []);
});

test('R-5.2 what waits for the name is bounded, and logout() tells its end', async () => {
  const { bench } = new Named({ outboxMax: 2 });
  const codes: string[] = [];
  for (const payload of [1, 2, 3]) {
    bench.client.send({ user: 'eve' }, payload).catch(({ code }: { code: string }) => codes.push(code));
  }
  await settled();
  assert.deepEqual(codes, ['overflow']);
  bench.client.connect();
  await settled();
  await bench.client.close();
  assert.deepEqual(codes, ['overflow'], 'close() keeps what waits');
  await assert.rejects(bench.client.logout(), { code: 'token_failed' }); // whose store is it?
  assert.deepEqual(codes, ['overflow', 'logged_out', 'logged_out']);
  assert.deepEqual(
    bench.dropped.map(({ payload, reason }) => [payload, reason]),
    [
      [1, 'overflow'],
      [2, 'logged_out'],
      [3, 'logged_out'],
    ],
  );
});

test('R-5.3 an id that an earlier process used for another message is a conflict, told to the one who sent it', async () => {
  const store = memoryStore();
  const before = new Named({}, store);
  before.give = () => jwt('bob');
  await before.bench.online();
  before.bench.socket.end();
  void before.bench.client.send({ user: 'eve' }, 'first', { clientMsgId: 'x' });
  await before.bench.client.close();
  const again = new Named({}, store);
  again.give = () => jwt('bob');
  const conflict = assert.rejects(again.bench.client.send({ user: 'eve' }, 'second', { clientMsgId: 'x' }), {
    code: 'id_conflict',
  });
  await again.bench.online();
  await conflict;
  assert.deepEqual(
    again.bench.sent('send').map(({ payload }) => payload),
    ['first'],
  );
});

test('R-1.5 a token that never comes ends its attempt, and the next one asks anew', async () => {
  const named = new Named();
  const { bench } = named;
  named.give = never;
  bench.client.connect();
  await bench.clock.advance(8000);
  assert.equal(bench.client.state, 'backoff');
  named.give = () => jwt('bob');
  for (let i = 0; i < 40 && bench.made.length === 0; i++) await bench.clock.advance(500);
  assert.equal(bench.made.length, 1);
  await bench.online();
});

test('R-1.2 close() and logout() do not wait for a token that never comes', async () => {
  for (const end of ['close', 'logout'] as const) {
    const named = new Named();
    const { bench } = named;
    named.give = never;
    bench.client.connect();
    await settled();
    const waits = bench.client.send({ user: 'eve' }, 1);
    waits.catch(() => {});
    await settled();
    let ended = false;
    void bench.client[end]().then(
      () => (ended = true),
      () => (ended = true),
    );
    await settled();
    assert.ok(ended, `${end}() waits`);
    assert.equal(bench.client.state, 'closed');
    assert.equal(bench.clock.timers.length, 0);
    if (end === 'logout') await assert.rejects(waits, { code: 'logged_out' });
    named.give = () => jwt('bob');
    await bench.online();
    assert.equal(bench.sent('send').length, end === 'close' ? 1 : 0);
  }
});

test('a question for history is told when no token comes in time', async () => {
  const named = new Named();
  named.give = never;
  const page = assert.rejects(named.bench.client.history(), { code: 'token_failed' });
  await settled();
  await named.bench.clock.advance(8000);
  await page;
  assert.equal(named.bench.clock.timers.length, 0);
});

test('R-1.10 a renewal that fails is tried again while the connection lasts', async () => {
  const named = new Named({ user: 'bob' });
  const { bench } = named;
  named.give = () => 'first';
  await bench.online();
  named.give = () => Promise.reject(new Error('the token service is away'));
  await bench.deliver({ type: 'error', code: 'token_expiring', message: '', retryable: false });
  assert.deepEqual(bench.sent('auth'), []);
  named.give = never;
  await bench.clock.advance(5000);
  assert.equal(named.asked, 3);
  named.give = () => 'second';
  for (let i = 0; i < 5 && bench.sent('auth').length === 0; i++) {
    await bench.clock.advance(5000);
    if (bench.client.state === 'online') await bench.deliver({ type: 'sync', cursor: 0 });
  }
  assert.deepEqual(
    bench.sent('auth').map(({ token }) => token),
    ['second'],
  );
  await bench.deliver({ type: 'error', code: 'token_expiring', message: '', retryable: false });
  named.give = () => Promise.reject(new Error('again'));
  await bench.deliver({ type: 'error', code: 'token_expiring', message: '', retryable: false });
  const { asked } = named;
  await bench.client.close();
  await bench.clock.advance(60_000);
  assert.equal(named.asked, asked, 'nothing is asked after the end');
});

test('R-1.10 a renewal that the server cannot check now comes again, and not before it asked for it', async () => {
  const named = new Named({ user: 'bob' });
  const { bench } = named;
  named.give = () => `token ${named.asked}`;
  await bench.online();
  const tokens = (): unknown[] => bench.sent('auth').map(({ token }) => token);
  const unavailable = { type: 'error', code: 'keys_unavailable', message: '', retryable: true };
  await bench.deliver({ type: 'error', code: 'token_expiring', message: '', retryable: false });
  assert.deepEqual(tokens(), ['token 2']);
  await bench.deliver({ ...unavailable, retryAfterMs: 4000 });
  await bench.clock.advance(3999);
  assert.deepEqual(tokens(), ['token 2']);
  await bench.clock.advance(1001);
  assert.deepEqual(tokens(), ['token 2', 'token 3']);
  await bench.deliver(unavailable);
  await bench.clock.advance(4999);
  assert.equal(named.asked, 3);
  await bench.clock.advance(1001);
  assert.deepEqual(tokens(), ['token 2', 'token 3', 'token 4']);
  await bench.deliver({ ...unavailable, retryAfterMs: 4000 });
  await bench.client.close();
  await bench.clock.advance(60_000);
  assert.equal(named.asked, 4, 'nothing is asked after the end');
  assert.deepEqual(
    bench.telemetry.filter(({ type }) => type === 'refused').map(({ reason }) => reason),
    ['token_expiring', 'keys_unavailable', 'keys_unavailable', 'keys_unavailable'],
  );
});

test('R-1.13 logout() and connect() from within a handler of `closed`: another account connects', async () => {
  const store = memoryStore();
  const named = new Named({}, store);
  const { bench } = named;
  named.give = () => jwt('bob');
  await bench.online();
  let once = true;
  bench.client.on('state', ({ state }) => {
    if (state !== 'closed' || !once) return;
    once = false;
    named.give = () => jwt('eve');
    void bench.client.logout();
    bench.client.connect();
  });
  void bench.client.close();
  await settled();
  await settled();
  assert.equal(bench.made.length, 2);
  bench.socket.open();
  await settled();
  assert.equal(bench.sent('hello')[0].token, jwt('eve'));
  assert.equal(bench.sent('hello')[0].lastSeq, undefined);
  assert.deepEqual(await store.keys('holdfast/1/ws://a/v1/ws/bob/'), []);
  assert.notEqual((await store.keys('holdfast/1/ws://a/v1/ws/eve/')).length, 0);
});

test('R-1.13 a connect() that a handler of `closed` makes while logout() runs is of the next account', async () => {
  const store = memoryStore();
  const named = new Named({}, store);
  const { bench } = named;
  named.give = () => jwt('bob');
  await bench.online();
  const off = bench.client.on('state', ({ state }) => {
    if (state !== 'closed') return;
    off();
    named.give = () => jwt('eve');
    bench.client.connect();
  });
  await bench.client.logout();
  await settled();
  assert.equal(bench.made.length, 2);
  bench.socket.open();
  await settled();
  assert.equal(bench.sent('hello')[0].token, jwt('eve'));
  assert.deepEqual(await store.keys('holdfast/1/ws://a/v1/ws/bob/'), []);
});
