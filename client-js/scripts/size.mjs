// The size of the browser entry, minified and gzipped; exits with 1 when it is above the limit.
import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { bundling } from './build.mjs';

/** What it is now, and a little. */
export const LIMIT = 17.5 * 1024;

/** Bytes of the browser entry, minified, and the same gzipped. */
export async function measure(entry = 'src/index.ts') {
  const result = await build({ ...bundling, entryPoints: [entry], minify: true, write: false });
  const code = result.outputFiles[0].contents;
  return { minified: code.length, gzipped: gzipSync(code, { level: 9 }).length };
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const { minified, gzipped } = await measure();
  const tabs = await measure('src/tabs/tabs.ts');
  console.log(`tabs, loaded where there may be several: ${tabs.minified} bytes minified, ${tabs.gzipped} gzipped`);
  console.log(`browser entry: ${minified} bytes minified, ${gzipped} gzipped (limit ${LIMIT})`);
  process.exit(gzipped > LIMIT ? 1 : 0);
}
