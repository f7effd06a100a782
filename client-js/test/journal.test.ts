import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journal } from '../src/core/journal.js';
import { Timers } from '../src/core/timers.js';
import { memoryStore } from '../src/store/memory.js';
import { FakeClock, settled } from './fakes.js';

test('a wish to write is met, whenever it comes: also just after the last write ended', async () => {
  for (let turns = 0; turns < 40; turns++) {
    const store = memoryStore();
    const journal = new Journal(store, new Timers(new FakeClock()), () => {});
    journal.put('a', 1);
    for (let i = 0; i < turns; i++) await null;
    journal.put('b', 2);
    let met = false;
    void journal.written().then((stored) => (met = stored));
    await settled();
    assert.ok(met, `after ${turns} turns`);
    assert.equal(await store.get('b'), 2);
  }
});

test('one value that cannot be written keeps no other out, and is tried again', async () => {
  const clock = new FakeClock();
  const store = memoryStore();
  const { set } = store;
  let full = true;
  store.set = (rows) => (full && 'big' in rows ? Promise.reject(new Error('full')) : set(rows));
  const journal = new Journal(store, new Timers(clock), () => {});
  journal.rest(false);
  journal.put('big', 1);
  journal.put('small', 2);
  assert.equal(await journal.written(), false);
  assert.equal(await store.get('small'), 2);
  full = false;
  await clock.advance(1000);
  assert.equal(await store.get('big'), 1);
  await journal.close();
  assert.equal(clock.timers.length, 0);
});
