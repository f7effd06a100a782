// Tabs in the background, throttled and frozen by the browser as people's are.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browse } from './cdp.mjs';
import { QUICK, link, newUser, post, relay, serve, until } from './kit.mjs';

let server;
let chrome;
before(async () => ([server, chrome] = await Promise.all([serve(), browse()])));
after(async () => {
  await chrome?.close();
  server?.close();
});

/** The test page with a client in it, behind another tab. */
async function hiddenPage(user, prepare, more) {
  const page = await chrome.open(server.url);
  await until('the page', () => page.evaluate('window.isReady === true'));
  await page.evaluate(prepare);
  const options = { ...QUICK, url: await relay(0, user), user, ...more };
  await page.evaluate(`window.start(${JSON.stringify(options)})`);
  await until('online', () => page.evaluate("window.client.state === 'online'"));
  await chrome.open('about:blank'); // in front of it
  await until('hidden', () => page.evaluate("document.visibilityState === 'hidden'"));
  return page;
}

const payloads = (page) => page.evaluate('window.seen.payloads');

test('hidden: the heartbeat and the way back run on the Worker’s timers', async () => {
  const user = newUser('mia');
  // The page's own timers are gone: less than the browser leaves to a hidden page.
  const page = await hiddenPage(user, 'window.setTimeout = () => 0; window.setInterval = () => 0; 1', {
    heartbeat: { intervalMs: 400, timeoutMs: 400 },
  });
  await link(user, 'freeze');
  await post(user, ['while hidden']);
  await until('the message', async () => (await payloads(page)).length > 0);
  assert.deepEqual(await payloads(page), ['while hidden']);
  assert.equal(await page.evaluate('document.visibilityState'), 'hidden');
  const types = await page.evaluate('window.seen.telemetry.map(({ type }) => type)');
  assert.ok(types.includes('heartbeat_timeout') && types.includes('backoff'), types.join(' '));
});

test('frozen: when the page wakes up it has its connection again, and nothing is missing', async () => {
  const user = newUser('nia');
  const page = await hiddenPage(user, "document.addEventListener('freeze', () => (window.wasFrozen = true)); 1");
  await page.lifecycle('frozen'); // Chromium ends the page's connection with it
  await post(user, ['one', 'two', 'three']);
  await page.lifecycle('active');
  await until('the messages', async () => (await payloads(page)).length >= 3);
  assert.deepEqual(await payloads(page), ['one', 'two', 'three']);
  assert.equal(await page.evaluate('window.wasFrozen'), true);
  assert.deepEqual(chrome.errors, []);
});

test('shown again: a connection that died behind other tabs is found out by asking, long before a heartbeat is due', async () => {
  const user = newUser('ona');
  const page = await hiddenPage(user, '1', { heartbeat: { intervalMs: 300_000, timeoutMs: 10_000 } });
  await link(user, 'freeze');
  await post(user, ['while away']);
  assert.deepEqual(await payloads(page), []);
  await page.show();
  await until('the message', async () => (await payloads(page)).length > 0);
  assert.deepEqual(await payloads(page), ['while away']);
  const probes = await page.evaluate("window.seen.telemetry.filter(({ type }) => type === 'heartbeat_timeout').length");
  assert.equal(probes, 1);
});
