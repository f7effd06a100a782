// and publishing: what stands in package.json, README and the lock file is true.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { execFileSync } from 'node:child_process';

const read = (path: string): string => readFileSync(path, 'utf8');

test('the bundle of the browser entry stays within its size', () => {
  const out = execFileSync(process.execPath, ['scripts/size.mjs'], { encoding: 'utf8' });
  assert.match(out, /gzipped \(limit/, out);
});

test('the table of options in README.md is the type', () => {
  const options = read('src/types.ts').split('export interface Options {')[1]!.split('\n}')[0]!;
  const declared = [...options.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name);
  const told = [...read('README.md').matchAll(/^\| `(\w+)`\s+\|/gm)].map(([, name]) => name);
  assert.deepEqual(told, declared);
});

test('the events in README.md are the type', () => {
  const events = read('src/types.ts').split('export interface Events {')[1]!.split('\n}')[0]!;
  for (const [, name] of events.matchAll(/^ {2}(\w+):/gm)) assert.match(read('README.md'), new RegExp(`\`${name}\``));
});

test('no address of a registry is in the lock file, and nothing is needed at run time', () => {
  assert.doesNotMatch(
    read('package-lock.json'),
    /"resolved"|https?:\/\/(?!(opencollective|github|paypal|www\.patreon|tidelift))/,
  );
  assert.equal(JSON.parse(read('package.json')).dependencies, undefined);
});

test('nothing of a browser is touched at import', () => {
  const script = `for (const name of ['document', 'navigator', 'localStorage', 'indexedDB', 'crypto', 'performance', 'fetch', 'setTimeout'])
    Object.defineProperty(globalThis, name, { get() { throw new Error(name + ' was touched'); } });
    await import(process.argv[1]);`;
  execFileSync(process.execPath, ['scripts/build.mjs', '--quick'], { stdio: 'inherit' });
  execFileSync(process.execPath, ['--input-type=module', '-e', script, `${process.cwd()}/dist/index.js`]);
});
