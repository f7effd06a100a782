import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  backoffOf,
  ceilingOf,
  delayOf,
  minDelay,
  PRESETS,
  soonDelay,
  toldDelay,
  type Jitter,
} from '../src/pure/backoff.js';
import {
  afterClose,
  afterStatus,
  CloseCode,
  retryAfterHeader,
  retryAfterOf,
  type Next,
} from '../src/pure/closecodes.js';
import { Dedup } from '../src/pure/dedup.js';
import {
  checkChannel,
  checkMessageId,
  checkPayload,
  checkTarget,
  randomId,
  subjectOf,
  utf8Length,
} from '../src/pure/names.js';
import { missed, owe, paid, settle } from '../src/pure/owed.js';
import { Reconnect } from '../src/pure/reconnect.js';
import { httpBase, query, socketUrl } from '../src/pure/urls.js';
import { seeded } from './fakes.js';

test('R-2.1 the ceiling doubles up to the cap and never overflows', () => {
  const options = backoffOf('web');
  const ceilings = [0, 1, 2, 3, 4, 5, 6, 1e9].map((failures) => ceilingOf(options, failures, false));
  assert.deepEqual(ceilings, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(ceilingOf(options, 50, true), 300_000, 'hidden');
});

test('R-2.2 R-2.4 each jitter stays in its bounds, differs each time, and never comes back at once', () => {
  const bounds: Record<Jitter, [number, number]> = {
    full: [200, 4000],
    equal: [2000, 4000],
    ratio: [2800, 5200],
    decorrelated: [4000, 5000],
  };
  for (const [jitter, [low, high]] of Object.entries(bounds)) {
    const random = seeded(7);
    const options = backoffOf('web', { jitter: jitter as Jitter });
    const delays = Array.from({ length: 2000 }, () => delayOf(options, 2, false, random));
    assert.ok(
      delays.every((delay) => delay >= low && delay <= high),
      jitter,
    );
    assert.ok(Math.max(...delays) - Math.min(...delays) > 0.9 * (high - low), `${jitter} uses its whole range`);
    assert.ok(new Set(delays.map(Math.round)).size > 500, jitter);
  }
  const random = seeded(8);
  const least = Array.from({ length: 1000 }, () => minDelay(backoffOf('web'), random));
  assert.ok(Math.min(...least) >= 200 && Math.max(...least) <= 500 && Math.max(...least) > 480);
});

test('R-2.2 a thousand clients that lose their connection together do not come back together', () => {
  const delays = Array.from({ length: 1000 }, (_, i) => delayOf(backoffOf('web'), 3, false, seeded(i))).sort(
    (a, b) => a - b,
  );
  for (let i = 0; i + 100 < delays.length; i++) assert.ok(delays[i + 100]! - delays[i]! > 200, 'a tenth within 200 ms');
});

test('R-1.11 the presets', () => {
  assert.deepEqual(PRESETS.mobile, { baseMs: 1000, capMs: 30_000, heartbeatMs: 18_000 });
  assert.equal(backoffOf('lan').capMs, 10_000);
  assert.equal(backoffOf('weak', { baseMs: 7 }).baseMs, 7);
});

test('R-2.5 delays that the server asks for', () => {
  assert.equal(
    soonDelay(() => 0),
    500,
  );
  assert.equal(
    soonDelay(() => 1),
    1500,
  );
  assert.equal(
    toldDelay(20_000, 1000, () => 1),
    22_000,
  );
  assert.equal(
    toldDelay(2000, 1000, () => 1),
    3000,
  );
  assert.equal(
    toldDelay(1e12, 1000, () => 1),
    3_600_000,
  );
});

test('R-1.9 close codes are sorted as protocol.md, section 11, says', () => {
  const text = readFileSync('../docs/protocol.md', 'utf8').split('## 11 Close codes')[1]!.split('## 12')[0]!;
  const next: Record<string, Next> = {
    reconnect: 'retry',
    'reconnect soon': 'soon',
    'new token': 'token',
    stop: 'stop',
  };
  const rows = [...text.matchAll(/^\| (\d{4}) \| `[^`]+` \| ([^|]+) \|/gm)];
  assert.ok(rows.length > 14);
  for (const [, code, what] of rows) {
    assert.equal(afterClose(Number(code)), next[what!.trim()], code);
    assert.ok(Object.values(CloseCode).includes(Number(code) as never), `CloseCode has no ${code}`);
  }
  for (const code of [1008, 1010, 1007, 4400, 4499, 4411]) assert.equal(afterClose(code), 'stop', String(code));
  for (const code of [1005, 1006, 3000, 4000, 4399, 4500, 4999]) assert.equal(afterClose(code), 'retry', String(code));
  assert.deepEqual([400, 401, 403, 426, 429, 500, 503].map(afterStatus), [
    'stop',
    'token',
    'stop',
    'stop',
    'retry',
    'retry',
    'retry',
  ]);
});

test('retry hints are read, and nothing else is taken for one', () => {
  assert.equal(retryAfterOf('rate_limited retryAfterMs=1500'), 1500);
  assert.equal(retryAfterOf('rate_limited'), undefined);
  assert.equal(retryAfterHeader('7', 0), 7000);
  assert.equal(retryAfterHeader('Thu, 01 Jan 1970 00:00:10 GMT', 4000), 6000);
  assert.equal(retryAfterHeader('soon', 0), undefined);
});

test('R-1.9 R-1.10 a refused token is asked for anew once', () => {
  const now = { mono: 0, hidden: false, renewable: true };
  const reconnect = new Reconnect(backoffOf('web'), seeded(1));
  const end = { code: 4401, reason: 'unauthorized', onlineMs: null };
  assert.deepEqual(reconnect.ended(end, now), { do: 'wait', delayMs: 0 });
  assert.deepEqual(reconnect.ended(end, now), { do: 'stop' });
  reconnect.reset();
  assert.deepEqual(reconnect.ended(end, { ...now, renewable: false }), { do: 'stop' });
});

test('R-2.3 only a stable connection resets the failure count', () => {
  const reconnect = new Reconnect(backoffOf('web'), seeded(1));
  const now = { mono: 0, hidden: false, renewable: false };
  for (let i = 0; i < 5; i++) reconnect.ended({ code: 1006, reason: '', onlineMs: 59_999 }, now);
  assert.equal(reconnect.failures, 5);
  reconnect.ended({ code: 1006, reason: '', onlineMs: 60_000 }, now);
  assert.equal(reconnect.failures, 1);
});

test('R-1.6 a kick is short, but not before what the server asked for', () => {
  const reconnect = new Reconnect(backoffOf('web'), () => 0);
  reconnect.ended(
    { code: 4005, reason: 'rate_limited retryAfterMs=9000', onlineMs: 1 },
    { mono: 100, hidden: false, renewable: false },
  );
  assert.equal(reconnect.kicked(1100), 8000);
  assert.equal(reconnect.kicked(50_000), 200);
  assert.equal(reconnect.failures, 0);
});

test('R-5.1 the last thousand ids are known', () => {
  const dedup = new Dedup(3);
  assert.deepEqual(
    ['a', 'b', 'a', 'c', 'd', 'a'].map((id) => dedup.add(id)),
    [true, true, false, true, true, true],
  );
  assert.deepEqual(dedup.list(), ['c', 'd', 'a']);
});

test('R-4.4 what a welcome leaves owed', () => {
  const welcome = { epoch: 'e', seq: 900, ackSeq: 5 };
  const own = { epoch: 'e', lastSeq: 7 };
  const from = (reason: string, { epoch, lastSeq }: { epoch: string | null; lastSeq: number | null }): number =>
    missed({ ...welcome, reason }, epoch, lastSeq)!.from;
  assert.deepEqual(missed({ ...welcome, reason: 'gap' }, 'e', 7), { epoch: 'e', from: 7, to: 900 });
  assert.equal(from('expired', own), 7);
  assert.equal(from('epoch', { ...own, epoch: 'older' }), 0);
  assert.equal(from('new', { epoch: null, lastSeq: null }), 5, 'a client that never had a cursor: the server knows');
  // the sessionToken was another client's: what this store says was handed over
  assert.equal(from('new', own), 7);
  assert.equal(from('new', { ...own, lastSeq: 3 }), 3);
  assert.equal(from('new', { ...own, epoch: 'older' }), 0, 'as with `epoch`');
  assert.equal(from('new', { ...own, lastSeq: 901 }), 5, 'as with `ahead`');
  assert.equal(from('ahead', { ...own, lastSeq: 901 }), 5);
  assert.equal(missed({ ...welcome, seq: 5, reason: 'ahead' }, 'e', 7), null);
});

test('R-4.4 owed ranges join and shrink as sets of messages do', () => {
  const random = seeded(3);
  let ranges: ReturnType<typeof owe> = [];
  const set = new Set<string>();
  for (let i = 0; i < 3000; i++) {
    const epoch = random() < 0.8 ? 'a' : 'b';
    const from = Math.floor(random() * 60);
    const to = from + 1 + Math.floor(random() * 12);
    const adds = random() < 0.5;
    ranges = adds ? owe(ranges, { epoch, from, to }) : paid(ranges, epoch, from, to);
    for (let seq = from + 1; seq <= to; seq++) adds ? set.add(epoch + seq) : set.delete(epoch + seq);
    const have = ranges.flatMap((range) =>
      Array.from({ length: range.to - range.from }, (_, at) => range.epoch + (range.from + 1 + at)),
    );
    assert.deepEqual([...have].sort(), [...set].sort(), `step ${i}`);
  }
});

test('R-4.4 no more than 64 ranges are kept, and none of their messages is forgotten', () => {
  let ranges: ReturnType<typeof owe> = [];
  for (let i = 0; i < 500; i++) ranges = owe(ranges, { epoch: 'e', from: 3 * i, to: 3 * i + 1 });
  assert.ok(ranges.length <= 64);
  for (let i = 0; i < 500; i++)
    assert.ok(
      ranges.some(({ from, to }) => from <= 3 * i && to > 3 * i),
      String(i),
    );
});

test('R-4.4 a page of history settles what it has, and tells what is gone', () => {
  const range = { epoch: 'e', from: 10, to: 20 };
  const page = (...seqs: number[]): { messages: { seq: number }[] } => ({ messages: seqs.map((seq) => ({ seq })) });
  assert.deepEqual(settle(range, page(11, 12)), { ...page(11, 12), from: 10, to: 12, lost: null });
  assert.deepEqual(settle(range, page(13, 14)), { ...page(13, 14), from: 10, to: 14, lost: { from: 10, to: 12 } });
  assert.deepEqual(settle(range, page(19, 20, 21)).messages, page(19, 20).messages);
  assert.deepEqual(settle(range, page(21)), { messages: [], from: 10, to: 20, lost: { from: 10, to: 20 } });
  assert.deepEqual(settle(range, page()), { messages: [], from: 10, to: 20, lost: { from: 10, to: 20 } });
});

test('R-5.2 what cannot be sent is refused at once', () => {
  const bad = (run: () => unknown, code = 'bad_frame'): void => assert.throws(run, { name: 'HoldfastError', code });
  bad(() => checkTarget({} as never));
  bad(() => checkTarget({ user: 'a', users: ['b'] } as never));
  bad(() => checkTarget({ user: 'a b' }));
  bad(() => checkTarget({ users: [] }));
  bad(() => checkTarget({ users: Array.from({ length: 101 }, (_, i) => `u${i}`) }));
  bad(() => checkTarget(null as never));
  assert.deepEqual(checkTarget({ users: Array.from({ length: 150 }, () => 'u') }).constructor, Object);
  bad(() => checkChannel('a\u0007'));
  bad(() => checkMessageId('x'.repeat(65)));
  bad(() => checkMessageId('\ud800'));
  assert.equal(checkMessageId('😀'.repeat(32)).length, 64);
  bad(() => checkPayload(undefined, 10));
  bad(() => checkPayload(1n, 10));
  bad(() => checkPayload('x'.repeat(9), 10), 'payload_too_large');
  assert.equal(checkPayload('x'.repeat(8), 10), '"xxxxxxxx"');
  for (const text of ['', 'a', 'é', '€', '😀', 'a€😀é']) assert.equal(utf8Length(text), Buffer.byteLength(text), text);
});

test('R-5.3 ids are random', () => {
  const random = seeded(5);
  const ids = new Set(Array.from({ length: 5000 }, () => randomId(16, random)));
  assert.equal(ids.size, 5000);
  for (const id of ids) assert.match(id, /^[\w-]{16}$/);
});

test('R-1.13 the user of a token is its sub', () => {
  const token = (claims: object): string => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
  assert.equal(subjectOf(token({ sub: 'zoë€😀' })), 'zoë€😀');
  assert.equal(subjectOf(token({})), undefined);
  assert.equal(subjectOf('opaque'), undefined);
});

test('URLs are taken as people write them', () => {
  assert.equal(socketUrl('ws://h:1'), 'ws://h:1/v1/ws');
  assert.equal(socketUrl('https://h/'), 'wss://h/v1/ws');
  assert.equal(socketUrl('wss://h/x/v1/ws?a=b'), 'wss://h/x/v1/ws?a=b');
  assert.throws(() => socketUrl('h:1'), { code: 'no_url' });
  assert.equal(httpBase('wss://h/x/v1/ws?a=b'), 'https://h/x');
  assert.equal(query({ a: 1, b: undefined, c: 'ü&' }), '?a=1&c=%C3%BC%26');
});
