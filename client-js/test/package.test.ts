// and publishing: what stands in package.json, README and the lock file is true.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';

const read = (path: string): string => readFileSync(path, 'utf8');

test('index.js stays within 15 KB, and README.md tells its size and those of the files that are loaded late', () => {
  const out = execFileSync(process.execPath, ['scripts/size.mjs'], { encoding: 'utf8' }); // throws above the limit
  assert.match(out, /\(limit 15360\)/);
  for (const [, name, gzipped] of out.matchAll(/^(\S+\.js): \d+ bytes, (\d+) gzipped/gm)) {
    const kb = new RegExp(`\\| \`${name}\` +\\| +([\\d.]+) KB`).exec(read('README.md'));
    assert.ok(kb, `${name} is not in README.md`);
    assert.ok(Math.abs(Number(kb[1]) - Number(gzipped) / 1024) < 0.06, `${name}: ${Number(gzipped) / 1024} KB`);
    assert.deepEqual(gzipSync(readFileSync(`dist/${name}`), { level: 9 }).length, Number(gzipped));
  }
});

test('a page needs no other files than those that README.md names, beside one another', () => {
  const imports = [...read('dist/index.js').matchAll(/import\((?:"|')([^"']+)/g)].map(([, path]) => path).sort();
  assert.deepEqual(imports, ['./history.js', './tabs.js']);
  for (const name of ['index.js', 'history.js', 'tabs.js']) assert.doesNotMatch(read(`dist/${name}`), /\bfrom\s*["']/);
});

test('the maps have the sources', () => {
  for (const name of ['index.js', 'history.js', 'tabs.js', 'node.js']) {
    const { sources, sourcesContent } = JSON.parse(read(`dist/${name}.map`));
    assert.equal(sourcesContent.length, sources.length);
    for (const text of sourcesContent) assert.equal(typeof text, 'string');
  }
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
  execFileSync(process.execPath, ['--input-type=module', '-e', script, `${process.cwd()}/dist/index.js`]);
});
