// The sizes of the files that a page loads, as they are published, gzipped; exits with 1 when the first is above the limit.
import { gzipSync } from 'node:zlib';
import { basename } from 'node:path';
import { bundle } from './build.mjs';

/** Bytes of index.js, gzipped with level 9. */
export const LIMIT = 15 * 1024;

const WHEN = {
  'index.js': 'by every page',
  'history.js': 'once something was missed, or the app asks for history',
  'tabs.js': 'where several tabs can share a connection',
};

const { outputFiles } = await bundle({ write: false });
const files = outputFiles
  .map(({ path, contents }) => ({
    name: basename(path),
    bytes: contents.length,
    gzipped: gzipSync(contents, { level: 9 }).length,
  }))
  .filter(({ name }) => WHEN[name]);
for (const { name, bytes, gzipped } of files) {
  console.log(`${name}: ${bytes} bytes, ${gzipped} gzipped; loaded ${WHEN[name]}`);
}
const { gzipped } = files.find(({ name }) => name === 'index.js');
console.log(
  `all: ${files.reduce((sum, file) => sum + file.gzipped, 0)} gzipped; index.js: ${gzipped} gzipped (limit ${LIMIT})`,
);
process.exit(gzipped > LIMIT ? 1 : 0);
