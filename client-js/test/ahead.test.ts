// the server has lost the end of the mailbox, and a hello whose welcome never came.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../src/store/memory.js';
import { Heard } from '../src/tabs/heard.js';
import type { HistoryPage, Store } from '../src/types.js';
import { Bench, HOME, message } from './bench.js';
import { settled } from './fakes.js';

const AHEAD = { resumed: false, reason: 'ahead' };

/** A store whose session stands at this seq. */
async function at(lastSeq: number, more: object = {}): Promise<Store> {
  const store = memoryStore();
  const session = { clientId: 'bob-phone', attempt: 1, epoch: 'e', lastSeq, sessionToken: 't', owed: [], ...more };
  await store.set({ [`${HOME}session`]: session });
  return store;
}

/** Pages as the app gets them, without what is the same in all. */
function pagesOf(bench: Bench): object[] {
  const pages: object[] = [];
  const told = ({ messages, from, to, lost, epoch }: HistoryPage): void =>
    void pages.push({ ids: messages.map(({ msgId }) => msgId), from, to, lost, epoch });
  bench.client.on('history', told);
  return pages;
}

async function answer(bench: Bench, ...messages: object[]): Promise<void> {
  bench.requests.shift()!.answer(200, { epoch: 'e', latestSeq: 9, earliestSeq: 1, more: false, messages });
  await settled();
}

/** Where the next request for history begins. */
const after = (bench: Bench): string | null => new URL(bench.requests[0]!.url).searchParams.get('after');

for (const before of ['this process', 'an earlier process'] as const) {
  test(`R-4.4 after a hello of ${before} that got no welcome ackSeq is worth nothing with ahead`, async () => {
    const store = await at(100);
    let bench = new Bench({}, store);
    bench.client.connect();
    await settled();
    bench.socket.open();
    await settled();
    assert.equal(bench.sent('hello').length, 1);
    if (before === 'this process') bench.socket.end();
    else bench = new Bench({}, store); // the other one died without a word
    pagesOf(bench);
    await bench.online({ ...AHEAD, seq: 96, ackSeq: 96 });
    assert.equal(after(bench), '0');
  });
}

test('R-4.4 a hello that never went out, or was answered, says nothing against ackSeq', async () => {
  const bench = new Bench({}, await at(100));
  pagesOf(bench);
  bench.client.connect();
  await settled();
  bench.socket.end(); // before it opened
  await bench.online({ ...AHEAD, seq: 96, ackSeq: 90 });
  assert.equal(after(bench), '90');
  const again = new Bench({}, await at(100));
  pagesOf(again);
  await again.online({ seq: 100, ackSeq: 100 });
  again.socket.end();
  await again.online({ ...AHEAD, seq: 96, ackSeq: 90 });
  assert.equal(after(again), '90');
});

test('R-4.4 a message that waits when the end is lost takes nothing out of what is owed', async () => {
  const bench = new Bench({}, await at(0));
  bench.off();
  const pages = pagesOf(bench);
  await bench.online({ seq: 2, ackSeq: 0 });
  await bench.deliver(message(1), message(2));
  bench.socket.end();
  await bench.online({ resumed: false, reason: 'gap', seq: 5, ackSeq: 0 });
  bench.socket.end();
  // the server has only 1 left, and then got another 2
  await bench.online({ ...AHEAD, seq: 2, ackSeq: 0 });
  assert.equal(bench.requests.length, 0, 'history waits for them');
  bench.client.on('message', ({ msgId }) => void bench.got.push(msgId));
  await settled();
  assert.deepEqual(bench.got, ['m1', 'm2']);
  assert.deepEqual(pages.splice(0), [{ ids: [], from: 2, to: 5, lost: { from: 2, to: 5 }, epoch: 'e' }]);
  assert.equal(after(bench), '0');
  await answer(bench, message(1), message(2, 'other'));
  assert.deepEqual(pages, [{ ids: ['other'], from: 0, to: 2, lost: null, epoch: 'e' }]);
});

for (const reason of [undefined, 'gap']) {
  test(`R-4.4 the end was lost, and a cursor before it does not show it: what waits does (${reason ?? 'resumed'})`, async () => {
    const store = await at(5);
    const bench = new Bench({}, store);
    bench.off();
    const pages = pagesOf(bench);
    await bench.online({ seq: 8, ackSeq: 5 });
    await bench.deliver(message(6), message(7), message(8));
    bench.socket.end();
    // the server had 6 left, and then got another 7
    await bench.online({ ...(reason ? { resumed: false, reason } : {}), seq: 7, ackSeq: 5 });
    const again = [message(6), message(7, 'other')];
    if (!reason) await bench.deliver(...again);
    bench.client.on('message', ({ msgId }) => void bench.got.push(msgId));
    await settled();
    if (reason) await answer(bench, ...again);
    await bench.deliver(message(8, 'newest'));
    const ids = [...bench.got, ...pages.flatMap((page) => (page as { ids: string[] }).ids)];
    assert.deepEqual(ids.sort(), ['m6', 'm7', 'm8', 'newest', 'other']);
    const session = (await store.get(`${HOME}session`)) as { lastSeq: number; owed: object[] };
    assert.deepEqual([session.lastSeq, session.owed], [8, []]);
  });
}

test('R-4.4 a page in hand when the end is lost takes nothing out of what is owed', async () => {
  const store = await at(4, { owed: [{ epoch: 'e', from: 2, to: 4 }] });
  const bench = new Bench({}, store);
  let through = (): void => {};
  const off = bench.client.on('history', () => new Promise<void>((done) => (through = done)));
  await bench.online({ seq: 4, ackSeq: 4 });
  await answer(bench, message(3), message(4));
  bench.socket.end();
  await bench.online({ ...AHEAD, seq: 3, ackSeq: 1 });
  off();
  const pages = pagesOf(bench);
  through();
  await settled();
  assert.deepEqual(pages.splice(0), [{ ids: [], from: 3, to: 4, lost: { from: 3, to: 4 }, epoch: 'e' }]);
  assert.equal(after(bench), '1');
  await answer(bench, message(2), message(3, 'other'));
  assert.deepEqual(pages, [{ ids: ['m2', 'other'], from: 1, to: 3, lost: null, epoch: 'e' }]);
});

test('R-4.4 an answer under way when the end is lost is not taken', async () => {
  const bench = new Bench({}, await at(4, { owed: [{ epoch: 'e', from: 2, to: 4 }] }));
  const pages = pagesOf(bench);
  await bench.online({ seq: 4, ackSeq: 4 });
  bench.socket.end();
  await bench.online({ ...AHEAD, seq: 4, ackSeq: 2 });
  await answer(bench, message(3), message(4));
  assert.deepEqual(pages, []);
  assert.equal(after(bench), '2');
});

test('R-4.4 what was owed beyond the new end is told as lost, in a later process too', async () => {
  const store = await at(100, { owed: [{ epoch: 'e', from: 90, to: 100 }] });
  const first = await new Bench({}, store).online({ ...AHEAD, seq: 95, ackSeq: 95 });
  await first.client.close();
  const bench = new Bench({}, store);
  const pages = pagesOf(bench);
  await bench.online({ seq: 95, ackSeq: 95 });
  assert.equal(after(bench), '90');
  await answer(bench, ...[91, 92, 93, 94, 95].map((seq) => message(seq)));
  assert.deepEqual(pages, [
    { ids: ['m91', 'm92', 'm93', 'm94', 'm95'], from: 90, to: 95, lost: null, epoch: 'e' },
    { ids: [], from: 95, to: 100, lost: { from: 95, to: 100 }, epoch: 'e' },
  ]);
});

test('R-4.4 what history hands over is known by msgId from then on', async () => {
  const bench = new Bench({}, await at(0));
  const pages = pagesOf(bench);
  await bench.online({ resumed: false, reason: 'gap', seq: 2, ackSeq: 0 });
  await answer(bench, message(1), message(2));
  await bench.deliver(message(3, 'm2'), message(4));
  assert.deepEqual(bench.got, [4]);
  assert.equal(pages.length, 1);
  assert.equal(bench.client.metrics().duplicates, 1);
});

test('R-4.4 a page of another line is no page that a tab was told before', () => {
  const heard = new Heard();
  const page = (...ids: string[]): object => ({
    epoch: 'e',
    from: 0,
    to: 2,
    messages: ids.map((msgId) => ({ msgId })),
  });
  assert.ok(heard.note('history', page('m1', 'm2')));
  assert.ok(!heard.note('history', page('m1', 'm2')));
  heard.note('telemetry', { type: 'not_resumed', reason: 'ahead' });
  const session = { owed: [{ epoch: 'e', from: 0, to: 2 }] };
  const account: any = { session, inbox: { seen: new Set() } };
  heard.teach(account);
  account.onLoad();
  assert.deepEqual(session.owed, [{ epoch: 'e', from: 0, to: 2 }]);
  assert.deepEqual([...account.inbox.seen], ['m1', 'm2'], 'and no message comes twice');
  assert.ok(heard.note('history', page('other')));
});
