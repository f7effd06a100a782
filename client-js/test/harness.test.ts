// thousands of random orders of events against a model server.
// HARNESS_SEED=n plays one seed and prints its steps; HARNESS_SEEDS=n plays so many, from HARNESS_FROM on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const one = process.env.HARNESS_SEED;
const first = Number(one ?? process.env.HARNESS_FROM ?? 1);
const last = one ? first : first + Number(process.env.HARNESS_SEEDS ?? 2000) - 1;

test('random events in the tabs of a page keep what the client promises', (t) => {
  const script = fileURLToPath(new URL('./pages.run.mjs', import.meta.url));
  const [from, to] = one ? [one, one] : ['1', '800'];
  const args = ['--enable-source-maps', script, from, to, one ? '1' : '0'];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (one) console.log(run.stdout);
  assert.equal(run.status, 0, run.stderr);
  t.diagnostic(run.stdout.trim());
});

test(`random events, seeds ${first} to ${last}, keep what the client promises`, (t) => {
  const script = fileURLToPath(new URL('./harness.run.mjs', import.meta.url));
  const args = ['--enable-source-maps', script, String(first), String(last), one ? '1' : '0'];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (one) console.log(run.stdout);
  assert.equal(run.status, 0, run.stderr);
  t.diagnostic(run.stdout.trim());
});
