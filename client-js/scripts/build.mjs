// Builds dist/: one ESM bundle an entry (index.js for everywhere, node.js with the file store), the tabs that index.js
// loads where there may be several, and the types.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The tabs stay a file of their own beside index.js. */
const tabsApart = {
  name: 'tabs-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/tabs\/tabs\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './tabs.js', external: true } : undefined,
    ),
};

/** How all bundles are made. */
export const bundling = {
  bundle: true,
  format: 'esm',
  target: 'es2021',
  legalComments: 'none',
  external: ['node:*'],
  plugins: [tabsApart],
};

if (import.meta.url === `file://${process.argv[1]}`) {
  if (process.argv[2] !== '--quick') rmSync('dist', { recursive: true, force: true });
  await build({
    ...bundling,
    entryPoints: { index: 'src/index.ts', tabs: 'src/tabs/tabs.ts', node: 'src/node.ts' },
    outdir: 'dist',
    sourcemap: true,
    sourcesContent: false,
  });
  // --quick: without the types
  if (process.argv[2] === '--quick') process.exit(0);
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
}
