// Builds dist/: one ESM bundle an entry (index.js for everywhere, node.js with the file store) and the types.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: { index: 'src/index.ts', node: 'src/node.ts' },
  bundle: true,
  format: 'esm',
  target: 'es2021',
  outdir: 'dist',
  sourcemap: true,
  sourcesContent: false,
  external: ['node:*'],
  legalComments: 'none',
});
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
