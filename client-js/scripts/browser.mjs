// What needs a browser and a running `holdfast dev`: `tests` runs browser/*.test.mjs, `screenshots` takes the README's
// pictures. HOLDFAST_URL is where dev's pages are; CHROMIUM, which browser, where it is not found by itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { executablePath } from '../browser/chromium.mjs';

function die(why) {
  console.error(why);
  process.exit(1);
}

const kind = process.argv[2] ?? 'tests';
if (!process.env.HOLDFAST_URL) {
  die('HOLDFAST_URL is not set: start `./holdfast dev` and give the address after `pages`, http://127.0.0.1:8080/');
}
if (!executablePath || !existsSync(executablePath)) {
  die(
    `${executablePath ?? 'Chromium'} is missing: install it (Debian, Ubuntu: apt-get install chromium) or name a Chromium or Chrome in CHROMIUM; mvn -Dholdfast.browser=skip leaves these tests out`,
  );
}
if (!existsSync('dist/index.js') || !existsSync('dist/tabs.js')) die('dist/ is missing: npm run build');

const files = readdirSync('browser')
  .filter((name) => name.endsWith('.test.mjs') && (!process.argv[3] || name.includes(process.argv[3])))
  .map((name) => `browser/${name}`);
const args =
  kind === 'screenshots'
    ? ['browser/screenshots.mjs']
    : // one after the other: they kill edges, and share them
      ['--test', '--test-concurrency=1', '--test-timeout=120000', '--test-reporter=spec', ...files];
process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1);
