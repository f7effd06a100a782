// Bundles the tests (Node 20 runs no TypeScript) and runs them with Node's own runner: `unit` or `real`. What they test is
// dist/ as it is published, with the short names; only the tests of single parts take those from src/.
import { build } from 'esbuild';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a test imports from src/, and the file of dist/ that has it. */
const PUBLISHED = {
  '../src/client.js': 'index.js',
  '../src/errors.js': 'index.js',
  '../src/store/memory.js': 'index.js',
  '../src/node.js': 'node.js',
  '../src/history/pages.js': 'history.js',
  '../src/tabs/tabs.js': 'tabs.js',
};
const published = {
  name: 'published',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.\/src\// }, ({ path }) => {
      const file = PUBLISHED[path];
      return file && { path: pathToFileURL(resolve('dist', file)).href, external: true };
    });
  },
};

const kind = process.argv[2] ?? 'unit';
const only = process.argv[3];
const names = readdirSync('test').filter(
  (name) =>
    (name.endsWith('.test.ts') || name.endsWith('.real.ts')) &&
    name.endsWith(kind === 'real' ? '.real.ts' : '.test.ts') &&
    (!only || name.includes(only)),
);
execFileSync(process.execPath, ['scripts/build.mjs', '--quick'], { stdio: 'inherit' });
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
  plugins: [published],
  sourcemap: 'inline',
});
const files = names.map((name) => `build/test/${name.replace(/\.ts$/, '.mjs')}`);
const run = spawnSync(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', ...files], {
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
