// Builds dist/: index.js for everywhere, the files that it loads late, node.js with the file store, and the types. What
// is there is minified, with source maps that hold the sources.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { minify } from 'terser';
import { ownNames } from './names.mjs';

/** What index.js loads late, each a file of its own beside it: name, and what it is made of. */
const LATE = { history: './history/pages.js', tabs: './tabs/tabs.js' };

/** Imports that stay imports, of files beside the one that imports. */
const apart = {
  name: 'apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\./ }, ({ kind, path, importer }) => {
      const late = Object.keys(LATE).find((name) => kind === 'dynamic-import' && LATE[name] === path);
      if (late) return { path: `./${late}.js`, external: true };
      // node.js throws the errors of index.js, or `instanceof` would not know them
      if (importer.endsWith('/store/file.ts') && path === '../errors.js') return { path: './index.js', external: true };
      return undefined;
    });
  },
};

const ENTRIES = {
  index: 'src/index.ts',
  ...Object.fromEntries(Object.entries(LATE).map(([name, path]) => [name, `src/${path.replace(/\.js$/, '.ts')}`])),
  node: 'src/node.ts',
};

/** The files of dist/ without the types: names, texts, source maps. */
export async function bundle() {
  const mangleProps = new RegExp(`^(${ownNames().join('|')})$`);
  const files = [];
  let mangleCache = {}; // what one file calls by a short name the next one must call so too
  for (const [name, entry] of Object.entries(ENTRIES)) {
    const built = await build({
      entryPoints: { [name]: entry },
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      target: 'es2021',
      legalComments: 'none',
      external: ['node:*'],
      plugins: [apart],
      minify: true,
      mangleProps,
      mangleCache,
      sourcemap: 'external',
      write: false,
    });
    ({ mangleCache } = built);
    const text = (end) => built.outputFiles.find(({ path }) => path.endsWith(end)).text;
    files.push({ name: `${name}.js`, ...(await smaller(`${name}.js`, text('.js'), text('.js.map'))) });
  }
  return files;
}

function smaller(name, code, content) {
  return minify(code, {
    module: true,
    ecma: 2020,
    compress: { ecma: 2020, passes: 2, hoist_funs: true },
    sourceMap: { content, url: `${name}.map`, includeSources: true },
  });
}

if (import.meta.url === `file://${process.argv[1]}`) {
  if (process.argv[2] !== '--quick') rmSync('dist', { recursive: true, force: true });
  mkdirSync('dist', { recursive: true });
  for (const { name, code, map } of await bundle()) {
    writeFileSync(`dist/${name}`, code);
    writeFileSync(`dist/${name}.map`, map);
  }
  // --quick: without the types
  if (process.argv[2] === '--quick') process.exit(0);
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { stdio: 'inherit' });
}
