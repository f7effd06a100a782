import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HoldfastClient } from '../src/client.js';
import { memoryStore } from '../src/store/memory.js';
import { fileStore } from '../src/node.js';
import type { StateChange, Store } from '../src/types.js';
import { FakeSocket } from './fakes.js';

const directory = (): string => mkdtempSync(join(tmpdir(), 'holdfast-'));

for (const [name, make] of [
  ['memory', memoryStore],
  ['file', () => fileStore(directory())],
] as [string, () => Store][]) {
  test(`a ${name} store keeps what is set and gives it by prefix`, async () => {
    const store = make();
    await store.set({ 'a/1/x y/ü': { n: 1 }, 'a/2': null, b: 'b' });
    assert.deepEqual((await store.keys('a/')).sort(), ['a/1/x y/ü', 'a/2']);
    assert.deepEqual(await store.get('a/1/x y/ü'), { n: 1 });
    assert.equal(await store.get('none'), undefined);
    await store.delete(['a/2', 'none']);
    assert.equal(await store.get('a/2'), undefined);
    await store.close();
    assert.deepEqual(await store.get('b'), 'b');
    await store.close();
  });
}

test('R-5.2 several keys are one step: what the process had begun is carried out at the next start', async () => {
  const dir = directory();
  const store = fileStore(dir);
  await store.set({ a: 1, b: 1 });
  await store.close();
  writeFileSync(join(dir, 'batch.json'), JSON.stringify({ a: 2, b: 2 })); // it died between the batch and its files
  assert.deepEqual([await store.get('a'), await store.get('b')], [2, 2]);
  assert.ok(!readdirSync(dir).includes('batch.json'));
  await store.close();
});

test('R-5.2 a start that fails leaves nothing locked, and a batch that was not whole is none', async () => {
  const dir = directory();
  writeFileSync(join(dir, 'batch.json'), JSON.stringify({ a: 2 }));
  mkdirSync(join(dir, 'a.json.tmp')); // in the way of the first write
  mkdirSync(join(dir, 'a.json'));
  const store = fileStore(dir);
  await assert.rejects(store.get('a'), (error: NodeJS.ErrnoException) => error.code !== 'storage_in_use');
  await assert.rejects(store.get('a'), (error: NodeJS.ErrnoException) => error.code !== 'storage_in_use');
  for (const name of ['a.json.tmp', 'a.json']) rmSync(join(dir, name), { recursive: true, force: true });
  assert.equal(await store.get('a'), 2);
  await store.close();
  writeFileSync(join(dir, 'batch.json'), ''); // the power went
  assert.equal(await store.get('a'), 2);
  await store.close();
});

test('one process a directory: the lock of a live one is respected, that of a dead one is not', async () => {
  const dir = directory();
  const [one, two] = [fileStore(dir), fileStore(dir)];
  await one.set({ a: 1 });
  await assert.rejects(two.get('a'), { code: 'storage_in_use' });
  await one.close();
  assert.equal(await two.get('a'), 1);
  await two.close();
  writeFileSync(join(dir, 'lock'), String(process.ppid));
  await assert.rejects(one.get('a'), { code: 'storage_in_use' });
  const dead = spawnSync(process.execPath, ['-e', '0']).pid;
  writeFileSync(join(dir, 'lock'), String(dead));
  assert.equal(await one.get('a'), 1);
  await one.close();
});

test('a client whose directory another process has says so and ends, rather than forget in memory', async () => {
  const dir = directory();
  const other = fileStore(dir);
  await other.set({ a: 1 });
  const client = new HoldfastClient({ url: 'ws://a', user: 'bob', storage: fileStore(dir), webSocket: FakeSocket });
  const closed = new Promise<StateChange>((resolve) => client.on('state', (change) => change.final && resolve(change)));
  client.connect();
  assert.equal((await closed).reason, 'storage_in_use');
  await client.close();
  await other.close();
});

test('a process that only has the number of the dead one does not keep its directory', async () => {
  const dir = directory();
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
  try {
    await once(other, 'spawn');
    const store = fileStore(dir);
    await store.set({ a: 1 });
    const [, mark] = readFileSync(join(dir, 'lock'), 'utf8').split(' ');
    assert.ok(mark, 'the lock tells when its process began, where the platform does');
    await store.close();
    // as if a process of before, with the number that the other one has now, had died without closing
    writeFileSync(join(dir, 'lock'), `${other.pid} ${mark}`);
    assert.equal(await store.get('a'), 1);
    await store.close();
  } finally {
    other.kill();
  }
});

test('the lock of a process that lives is respected in another one', async () => {
  const dir = directory();
  const script = `import { fileStore } from ${JSON.stringify(new URL('../../dist/node.js', import.meta.url).href)};
    await fileStore(process.argv[1]).set({ a: 1 });
    console.log('has it');
    setTimeout(() => {}, 60_000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(other.stdout, 'data');
    const store = fileStore(dir);
    await assert.rejects(store.get('a'), { code: 'storage_in_use' });
    other.kill('SIGKILL');
    await once(other, 'exit');
    assert.equal(await store.get('a'), 1);
    await store.close();
  } finally {
    other.kill();
  }
});
