// against real edges. HOLDFAST_URL names the first one, HOLDFAST_URL_2 the
// second; without HOLDFAST_URL nothing is tested. `./holdfast dev` has them at 8080 and 8081.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import {
  HoldfastClient,
  HoldfastError,
  type HistoryPage,
  type Message,
  type Options,
  type State,
} from '../src/index.js';
import { fileStore } from '../src/node.js';

const first = process.env.HOLDFAST_URL ?? '';
const second = process.env.HOLDFAST_URL_2 ?? first.replace(/:(\d+)/, (_, port: string) => `:${Number(port) + 1}`);
const skip = first ? false : 'HOLDFAST_URL is not set';
const run = Date.now().toString(36);
const webSocket = WebSocket as unknown as NonNullable<Options['webSocket']>;

/** A WebSocket that the test can tear away. */
const open = new Set<WebSocket>();
class Cuttable extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols);
    open.add(this);
    this.on('close', () => open.delete(this));
  }
}
const cut = (url: string): void => open.forEach((socket) => socket.url.startsWith(url) && socket.terminate());
const base = (url: string): string => url.replace(/^ws/, 'http').replace(/\/v1\/ws$/, '');

function client(user: string, more: Partial<Options> = {}): HoldfastClient {
  return new HoldfastClient({ url: first, user: `${user}-${run}`, webSocket, ...more });
}

async function until(what: string, isTrue: () => boolean, ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function post(to: object, payloads: unknown[]): Promise<void> {
  for (let i = 0; i < payloads.length; i += 100) {
    const messages = payloads.slice(i, i + 100).map((payload) => ({ to, payload }));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ messages });
    const answer = await fetch(`${base(first)}/v1/messages`, { method: 'POST', headers, body });
    assert.equal(answer.status, 202, await answer.text());
  }
}

test('R-4.3 R-4.6 R-5.1: messages come once and in order over cuts and edges', { skip }, async () => {
  const bob = client('bob', {
    url: [first, second],
    webSocket: Cuttable as unknown as NonNullable<Options['webSocket']>,
    backoff: { baseMs: 50, minMs: 50 },
  });
  const alice = client('alice');
  const got: unknown[] = [];
  const edges = new Set<string>();
  const states: State[] = [];
  bob.on('message', async ({ payload }) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    got.push(payload);
  });
  bob.on('state', ({ state }) => void states.push(state));
  bob.connect();
  alice.connect();
  await until('online', () => bob.state === 'online' && alice.state === 'online');
  const sent: Promise<unknown>[] = [];
  for (let i = 0; i < 200; i++) {
    sent.push(alice.send({ user: `bob-${run}` }, i));
    if (i % 40 === 20) {
      open.forEach((socket) => edges.add(socket.url));
      await until('the message', () => got.length > i - 5);
      open.forEach((socket) => socket.terminate());
      await until('off', () => bob.state !== 'online');
      await until('back', () => bob.state === 'online' && alice.state === 'online');
    }
  }
  await Promise.all(sent);
  await until('all 200', () => got.length >= 200);
  assert.deepEqual(
    got,
    Array.from({ length: 200 }, (_, i) => i),
  );
  assert.equal(edges.size, 2, 'both edges were used');
  assert.ok(states.includes('backoff'));
  const { connects, recoverMs } = bob.metrics();
  console.log(
    `recovered ${recoverMs.count} times, mean ${Math.round(recoverMs.sum / recoverMs.count)} ms of ${connects} connects`,
  );
  await Promise.all([bob.close(), alice.close()]);
});

test('R-5.2 R-5.3: the outbox outlives the process, and nothing arrives twice', { skip }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-'));
  const eve = client('eve');
  const got: Message[] = [];
  eve.on('message', (message) => void got.push(message));
  eve.connect();
  const before = client('dan', { storage: fileStore(directory) });
  before.send({ user: `eve-${run}` }, 'unsent').catch(() => {});
  before.send({ user: `eve-${run}` }, 'unsent too', { clientMsgId: 'mine' }).catch(() => {});
  await before.close(); // never connected: both are in the store alone
  const after = client('dan', { storage: fileStore(directory) });
  const told: string[] = [];
  after.on('sent', ({ clientMsgId }) => void told.push(clientMsgId));
  after.connect();
  const again = await after.send({ user: `eve-${run}` }, 'unsent too', { clientMsgId: 'mine' });
  await until('both', () => got.length === 2);
  assert.deepEqual(
    got.map(({ payload }) => payload),
    ['unsent', 'unsent too'],
  );
  assert.equal(got[1]!.msgId, again.msgId);
  assert.equal(told.length, 1, 'the one that nobody waited for is told');
  await assert.rejects(after.send({ user: `eve-${run}` }, 'x'.repeat(70_000)), { code: 'payload_too_large' });
  await Promise.all([after.close(), eve.close()]);
  rmSync(directory, { recursive: true });
});

test('R-5.1: a new process goes on where the last one stood', { skip }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-'));
  const to = { user: `fay-${run}` };
  const got: unknown[] = [];
  for (const batch of [
    ['a', 'b'],
    ['c', 'd'],
  ]) {
    await post(to, batch);
    const fay = client('fay', { storage: fileStore(directory) });
    fay.on('message', ({ payload }) => void got.push(payload));
    fay.on('history', ({ messages }) => void got.push(...messages.map(({ payload }) => payload)));
    fay.connect();
    await until('the batch', () => got.includes(batch[1]));
    await fay.close();
  }
  assert.deepEqual(got, ['a', 'b', 'c', 'd']);
  rmSync(directory, { recursive: true });
});

test('R-4.4: what a resume does not give comes as history, once', { skip }, async () => {
  const gus = client('gus', { webSocket: Cuttable as never, backoff: { baseMs: 1500, minMs: 1500 } });
  const seqs: number[] = [];
  const pages: HistoryPage[] = [];
  gus.on('message', ({ seq }) => void seqs.push(seq));
  gus.on('history', (page) => {
    pages.push(page);
    seqs.push(...page.messages.map(({ seq }) => seq));
  });
  gus.connect();
  await until('online', () => gus.state === 'online');
  await post({ user: `gus-${run}` }, ['first']);
  await until('the first', () => seqs.length === 1);
  cut(first);
  await until('off', () => gus.state !== 'online');
  await post(
    { user: `gus-${run}` },
    Array.from({ length: 600 }, (_, i) => i),
  );
  await until('all', () => seqs.length >= 601, 30_000);
  assert.deepEqual(
    [...seqs].sort((a, b) => a - b),
    Array.from({ length: 601 }, (_, i) => i + 1),
  );
  assert.ok(pages.length >= 3 && pages.every(({ lost }) => lost === null));
  const page = await gus.history(590);
  assert.equal(page.messages.length, 11);
  await gus.close();
});

test('R-4.7: rooms and presence come back with the hello', { skip }, async () => {
  const room = `rooms:${run}`;
  const [hal, ida] = [client('hal', { url: [first, second], webSocket: Cuttable as never }), client('ida')];
  const events: unknown[] = [];
  const seen: string[] = [];
  const subscribed: boolean[] = [];
  hal.on('event', ({ payload }) => void events.push(payload));
  hal.on('subscribed', ({ recovered }) => void subscribed.push(recovered));
  hal.on('presence', ({ status }) => void seen.push(status));
  hal.subscribe(room);
  hal.watch([`ida-${run}`]);
  hal.connect();
  await until('subscribed', () => subscribed.length === 1 && seen.length === 1);
  assert.deepEqual(seen, ['offline']);
  ida.connect();
  await ida.send({ channel: room }, 'one');
  await until('the event', () => events.length === 1);
  await until('presence', () => hal.presence(`ida-${run}`)?.status === 'online');
  open.forEach((socket) => socket.terminate());
  await ida.send({ channel: room }, 'two');
  await until('back', () => events.length === 2);
  assert.deepEqual(events, ['one', 'two']);
  assert.deepEqual(subscribed, [false, true]);
  assert.equal(hal.presence(`ida-${run}`)?.status, 'online');
  const page = await hal.channelHistory(room);
  assert.deepEqual(
    page.events.map(({ payload }) => payload),
    ['one', 'two'],
  );
  await assert.rejects(
    ida.send({ channel: 'halls:none' }, 1),
    (error: HoldfastError) => error.code === 'no_such_channel',
  );
  await Promise.all([hal.close(), ida.close()]);
});

test('R-6.3 R-1.9: the newest connection of a client wins, and the older one stays closed', { skip }, async () => {
  const [old, young] = [client('jo', { clientId: `jo-${run}` }), client('jo', { clientId: `jo-${run}`, url: second })];
  let reason = '';
  old.on('state', (change) => void (change.final && (reason = change.reason)));
  old.connect();
  await until('online', () => old.state === 'online');
  young.connect();
  await until('replaced', () => old.state === 'closed');
  assert.equal(reason, 'replaced');
  await until('the younger one', () => young.state === 'online');
  await young.close();
});

test('R-1.9: a refused handshake is told, and a port without a server is retried', { skip }, async () => {
  const kim = client('kim', { url: 'ws://127.0.0.1:9', backoff: { baseMs: 10, minMs: 10, maxAttempts: 3 } });
  const types: string[] = [];
  kim.on('telemetry', ({ type }) => void types.push(type));
  kim.connect();
  await until('rest', () => kim.state === 'offline-wait');
  assert.equal(types.filter((type) => type === 'attempt').length, 3);
  await kim.close();
});
