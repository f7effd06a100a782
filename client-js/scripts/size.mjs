// The sizes of the files that a page loads, as they are published; exits with 1 when index.js is above the limit.
import { gzipSync } from 'node:zlib';
import { bundle } from './build.mjs';

/** Bytes of index.js, gzipped with level 9. */
const LIMIT = 15 * 1024;

const LOADED = {
  'index.js': 'by every page',
  'history.js': 'once messages were missed or the app asks for history',
  'tabs.js': 'where tabs can share a connection: most browsers, over TLS or on localhost',
};

const files = await bundle();
const sizes = Object.keys(LOADED).map((name) => {
  const { code } = files.find((file) => file.name === name);
  return { name, bytes: Buffer.byteLength(code), gzipped: gzipSync(code, { level: 9 }).length };
});
for (const { name, bytes, gzipped } of sizes) {
  console.log(`${name}: ${bytes} bytes, ${gzipped} gzipped; loaded ${LOADED[name]}`);
}
const [{ gzipped }] = sizes;
console.log(`together: ${sizes.reduce((sum, size) => sum + size.gzipped, 0)} gzipped`);
console.log(`index.js: ${gzipped} gzipped (limit ${LIMIT})`);
process.exit(gzipped > LIMIT ? 1 : 0);
