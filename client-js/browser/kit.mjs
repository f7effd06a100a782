// What the browser tests share: the browser, a server for the test page, the API of `holdfast dev`, and waiting.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { WebSocket } from 'ws';
import { HoldfastClient } from '../dist/index.js';
import { args, executablePath } from './chromium.mjs';

/** No wait is longer: a busy machine is slow, a broken client never gets there. */
export const PATIENCE_MS = 30_000;

/** Where the pages of `holdfast dev` are, without a slash at the end. */
export const base = new URL(process.env.HOLDFAST_URL.replace(/^ws/, 'http')).origin;

/** Short, so that a test does not wait for what people need not notice. */
export const QUICK = { backoff: { baseMs: 50, minMs: 50, capMs: 1000, maxAttempts: 1000 } };

/** Names this run. */
export const run = Date.now().toString(36);
let users = 0;

/** A name that nobody has had. */
export const newUser = (name) => `${name}-${run}-${++users}`;

/** Asks until it holds; `ask` may return a promise. */
export async function until(what, ask) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await ask();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

// The process

/** Asks the panel's API; fails where it is refused. */
export async function dev(method, path, at = base) {
  const answer = await fetch(`${at}${path}`, { method, headers: { 'X-Holdfast-Dev': '1' } });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

export const status = (at) => dev('GET', '/dev/status', at);

/** A URL through the relay of the i-th edge, under a tag by which its connections can be broken. */
export async function relay(i, tag) {
  return `${(await status()).edges[i].relay}?tag=${tag}`;
}

export const link = (tag, what) => dev('POST', `/dev/links/${tag}/${what}`);

/** The connections that have the tag now. */
export const links = async (tag) => (await status()).links.filter((one) => one.tag === tag);

/** A backend writes to the user, one message after the other. */
export async function post(user, payloads, at = base) {
  const messages = payloads.map((payload) => ({ to: { user }, payload }));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${at}/v1/messages`, { method: 'POST', headers, body: JSON.stringify({ messages }) });
  assert.equal(answer.status, 202, await answer.text());
}

export const presence = async (user) => (await fetch(`${base}/v1/presence/${user}`)).json();

/** A user outside of the browser, and what it got. */
export async function outsider(t, name) {
  const { ws } = (await status()).edges[1];
  const user = newUser(name);
  const client = new HoldfastClient({ url: ws, user, webSocket: WebSocket });
  const got = [];
  client.on('message', ({ payload }) => void got.push(payload));
  client.connect();
  t.after(() => client.close());
  await until(`${name} is online`, () => client.state === 'online');
  return { user, got };
}

// The browser

const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', map: 'application/json' };

/** Serves the test page and the built library; resolves to its URL. */
export async function serve() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const file = /^\/dist\/[\w.]+$/.test(pathname)
      ? `..${pathname}`
      : { '/': 'page/index.html', '/page.js': 'page/page.js' }[pathname];
    const answer = (code, type, body) => response.writeHead(code, { 'Content-Type': type }).end(body);
    if (!file) return answer(404, 'text/plain', 'not here');
    readFile(new URL(file, import.meta.url)).then(
      (body) => answer(200, TYPES[file.split('.').at(-1)], body),
      (error) => answer(500, 'text/plain', String(error)),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** The browser and the test page's server, for the tests of one file; ended by `close`. */
export async function launch() {
  const [browser, server] = await Promise.all([chromium.launch({ executablePath, args }), serve()]);
  return {
    browser,
    url: server.url,
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

/** A profile of its own, with empty stores; the test fails when a page of it logs an error. */
export async function profile(t, browser, options = {}) {
  const context = await browser.newContext(options);
  const errors = [];
  context.on('page', (page) => {
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
    page.on('console', (line) => {
      // The browser itself reports connections that the tests broke.
      const isNetwork = /^WebSocket connection to|^Failed to load resource: net::ERR_/.test(line.text());
      if (line.type() === 'error' && !isNetwork) errors.push(line.text());
    });
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, [], 'errors in the console');
  });
  return context;
}

/** A tab with the test page; what it returns drives the page. */
export async function tab(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  const isReady = () => page.waitForFunction(() => window.isReady === true, null, { timeout: PATIENCE_MS });
  await isReady();
  const read = (what) => page.evaluate((name) => window.seen[name], what);
  return {
    page,
    start: (options) => page.evaluate((given) => window.start(given), { ...QUICK, ...options }),
    send: (user, ...payloads) =>
      page.evaluate(([to, all]) => all.forEach((one) => window.send(to, one)), [user, payloads]),
    state: () => page.evaluate(() => window.client.state),
    becomes: (state) => until(state, () => page.evaluate((wanted) => window.client.state === wanted, state)),
    seen: read,
    /** Waits for as many payloads, and returns all. */
    payloads: (n) =>
      until(`${n} messages`, async () => ((await read('payloads')).length >= n ? read('payloads') : null)),
    rows: () => page.evaluate(() => window.rows()),
    /** Waits until the text lies in the database. */
    stored: (text) =>
      until(`${text} is stored`, async () => JSON.stringify(await page.evaluate(() => window.rows())).includes(text)),
    reload: async () => {
      await page.reload();
      await isReady();
    },
  };
}
