// Bundles the tests (Node 20 runs no TypeScript) and runs them with Node's own runner: `unit` or `real`.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';

const kind = process.argv[2] ?? 'unit';
const only = process.argv[3];
const names = readdirSync('test').filter(
  (name) =>
    (name.endsWith('.test.ts') || name.endsWith('.real.ts')) &&
    name.endsWith(kind === 'real' ? '.real.ts' : '.test.ts') &&
    (!only || name.includes(only)),
);
rmSync('build/test', { recursive: true, force: true });
await build({
  entryPoints: [...names, ...readdirSync('test').filter((name) => name.endsWith('.run.ts'))].map(
    (name) => `test/${name}`,
  ),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outdir: 'build/test',
  outExtension: { '.js': '.mjs' },
  packages: 'external',
  sourcemap: 'inline',
});
const files = names.map((name) => `build/test/${name.replace(/\.ts$/, '.mjs')}`);
const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
