// stores of browsers, with what they need of a browser made up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedDbStore, localStore } from '../src/store/browser.js';
import { settled } from './fakes.js';

/** As much of IndexedDB as the store uses; `open` are the databases that are open. */
class FakeIndexedDb {
  readonly rows = new Map<string, unknown>();
  readonly opened: any[] = [];

  open(): any {
    const database: any = {
      closed: false,
      close: () => (database.closed = true),
      transaction: () => {
        if (database.closed) throw new Error('InvalidStateError: the database is closed');
        const transaction: any = {
          objectStore: () => ({
            get: (key: string) => ({ result: this.rows.get(key) }),
            put: (value: unknown, key: string) => void this.rows.set(key, value),
          }),
        };
        void Promise.resolve().then(() => transaction.oncomplete());
        return transaction;
      },
    };
    const request: any = { result: database };
    this.opened.push(database);
    void Promise.resolve().then(() => request.onsuccess());
    return request;
  }
}

test('IndexedDB that another page wants to change is let go of, and opened again with the next use', async () => {
  const fake = new FakeIndexedDb();
  const world = globalThis as any;
  world.indexedDB = fake;
  try {
    const store = indexedDbStore()!;
    await store.set({ a: 1 });
    fake.opened[0].onversionchange();
    assert.ok(fake.opened[0].closed);
    await store.set({ b: 2 });
    assert.equal(await store.get('b'), 2);
    assert.equal(fake.opened.length, 2);
    await store.close();
    await settled();
    assert.ok(fake.opened[1].closed);
  } finally {
    delete world.indexedDB;
  }
});

test('localStorage that is full keeps none of several keys', async () => {
  const world = globalThis as any;
  const storage = Object.create({
    getItem: (key: string) => storage[key] ?? null,
    setItem: (key: string, text: string) => {
      if (text.length > 20) throw new Error('QuotaExceededError');
      storage[key] = text;
    },
    removeItem: (key: string) => void delete storage[key],
  });
  const before = Object.getOwnPropertyDescriptor(world, 'localStorage');
  Object.defineProperty(world, 'localStorage', { value: storage, configurable: true });
  try {
    const store = localStore()!;
    await store.set({ 'a/1': 1, 'a/2': { n: 2 }, b: null });
    await assert.rejects(store.set({ 'a/1': 5, c: 'x'.repeat(30) }), /Quota/);
    assert.deepEqual((await store.keys('a/')).sort(), ['a/1', 'a/2']);
    assert.deepEqual([await store.get('a/1'), await store.get('b'), await store.get('c')], [1, null, undefined]);
    await store.delete(['a/1']);
    assert.equal(await store.get('a/1'), undefined);
  } finally {
    if (before) Object.defineProperty(world, 'localStorage', before);
    else delete world.localStorage;
  }
});
