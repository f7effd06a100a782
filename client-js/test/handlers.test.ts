// handlers that go away, kicks while an attempt runs, frames that would be too large, the Worker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../src/store/memory.js';
import { platformClock } from '../src/platform.js';
import { Bench, message } from './bench.js';
import { settled } from './fakes.js';

test('R-5.1 a message whose failing handler is taken off waits for another one, and nobody spins', async () => {
  const bench = new Bench();
  let failures = 0;
  bench.off();
  const off = bench.client.on('message', () => {
    failures++;
    throw new Error('mine');
  });
  await bench.online();
  await bench.deliver(message(1));
  await bench.clock.advance(1000);
  const before = failures;
  assert.ok(before > 2);
  off();
  await bench.clock.advance(20_000);
  assert.equal(failures, before, 'it is called no more');
  assert.equal(bench.types().filter((type) => type === 'handler_failed').length, before);
  const got: unknown[] = [];
  bench.client.on('message', ({ payload }) => void got.push(payload));
  await settled();
  assert.deepEqual(got, [1]);
  await bench.deliver(message(2));
  assert.deepEqual(got, [1, 2]);
});

test('R-5.1 where another handler is there already the message goes to that one, at once', async () => {
  const bench = new Bench();
  bench.off();
  const off = bench.client.on('message', () => Promise.reject(new Error('mine')));
  await bench.online();
  await bench.deliver(message(1));
  await bench.clock.advance(5000);
  const got: unknown[] = [];
  bench.client.on('message', ({ payload }) => void got.push(payload));
  off();
  await settled();
  assert.deepEqual(got, [1]);
});

test('R-5.1 a handler that was through is not called again when the failing one beside it is taken off', async () => {
  const bench = new Bench();
  bench.off();
  const calls = { good: 0, bad: 0 };
  bench.client.on('message', () => void calls.good++);
  const off = bench.client.on('message', () => {
    calls.bad++;
    throw new Error('mine');
  });
  await bench.online();
  await bench.deliver(message(1));
  off();
  await settled();
  await bench.deliver(message(2));
  assert.deepEqual(calls, { good: 2, bad: 1 });
  await bench.clock.advance(200);
  assert.deepEqual(
    bench.sent('ack').map(({ seq }) => seq),
    [1, 2].slice(-bench.sent('ack').length),
  );
  assert.equal(bench.sent('ack').pop().seq, 2);
});

test('R-1.8 the network, or connect(), while an attempt runs makes it the first one again', async () => {
  for (const kick of ['online', 'connect', 'none'] as const) {
    const bench = new Bench();
    bench.client.connect();
    await settled();
    for (let i = 0; i < 7; i++) {
      bench.socket.end();
      for (const before = bench.made.length; bench.made.length === before;) await bench.clock.advance(500);
    }
    assert.equal(bench.client.state, 'connecting');
    if (kick === 'online') bench.signals.tell('online');
    if (kick === 'connect') bench.client.connect();
    assert.equal(bench.client.state, 'connecting');
    bench.socket.end();
    assert.equal(bench.client.state, kick === 'none' ? 'offline-wait' : 'backoff', kick);
  }
});

test('R-1.9 `kicked` while connecting is as final as later', async () => {
  for (const opened of [false, true]) {
    const bench = new Bench();
    bench.client.connect();
    await settled();
    if (opened) bench.socket.open();
    await settled();
    bench.socket.end(4410, 'kicked');
    assert.equal(bench.client.state, 'closed');
    await bench.clock.advance(3_600_000);
    assert.equal(bench.made.length, 1);
  }
});

test('R-4.7 a thousand users with long names are watched in frames that the server takes', async () => {
  const bench = await new Bench().online();
  const users = Array.from({ length: 1000 }, (_, i) => `${'n'.repeat(124)}${1000 + i}`);
  for (const type of ['watch', 'unwatch'] as const) {
    bench.client[type](users);
    const frames = bench.socket.sent.filter((text) => text.includes(`"${type}"`));
    assert.ok(frames.every((text) => text.length <= 64 * 1024));
    assert.deepEqual(
      frames.flatMap((text) => JSON.parse(text).users as string[]),
      users,
    );
  }
});

/** What a browser has, for the time of a test; `workers` are those that run. */
async function inBrowser(run: (workers: Set<object>) => Promise<void>): Promise<void> {
  const workers = new Set<object>();
  const fake = {
    document: { addEventListener: () => {}, visibilityState: 'visible' },
    addEventListener: () => {},
    Worker: class {
      onmessage = null;
      constructor() {
        workers.add(this);
      }
      postMessage(): void {}
      terminate(): void {
        workers.delete(this);
      }
    },
  };
  const before = Object.fromEntries(Object.keys(fake).map((key) => [key, (globalThis as any)[key]]));
  Object.assign(globalThis, fake);
  try {
    await run(workers);
  } finally {
    for (const [key, value] of Object.entries(before)) {
      if (value === undefined) delete (globalThis as any)[key];
      else (globalThis as any)[key] = value;
    }
  }
}

test('R-1.7 the Worker ends with the last timer: a store that closes late does not start it again for good', async () => {
  await inBrowser(async (workers) => {
    const store = memoryStore();
    const { set } = store;
    store.set = async (rows) => {
      await settled();
      await set(rows);
    };
    const bench = new Bench({}, store, undefined, platformClock());
    bench.client.connect();
    for (let i = 0; i < 20; i++) await settled();
    assert.equal(workers.size, 1);
    await bench.client.close();
    for (let i = 0; i < 5; i++) await settled();
    assert.equal(workers.size, 0);
    void bench.client.send({ user: 'eve' }, 'kept for later');
    for (let i = 0; i < 20; i++) await settled();
    assert.equal(workers.size, 0);
  });
});
