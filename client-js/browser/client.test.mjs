// The library in a real browser, against a real process that is broken on purpose.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  dev,
  launch,
  link,
  links,
  newUser,
  outsider,
  post,
  presence,
  profile,
  relay,
  status,
  tab,
  until,
} from './kit.mjs';

let chrome;
before(async () => (chrome = await launch()));
after(() => chrome.close());

const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('offline: the client rests, and goes on by itself when the network is back', async (t) => {
  const context = await profile(t, chrome.browser);
  const page = await tab(context, chrome.url);
  const bob = await outsider(t, 'bob');
  const user = newUser('ann');
  await page.start({ url: await relay(0, user), user });
  await page.becomes('online');
  await context.setOffline(true);
  await page.becomes('offline-wait');
  const attempts = async () => (await page.seen('telemetry')).filter(({ type }) => type === 'attempt').length;
  const before = await attempts();
  await page.send(bob.user, 'one', 'two');
  await post(user, ['three', 'four']);
  await page.stored('two');
  assert.equal(await attempts(), before, 'nothing is tried without a network');
  assert.deepEqual(bob.got, []);
  await context.setOffline(false);
  assert.deepEqual(await page.payloads(2), ['three', 'four']);
  await until('both', () => bob.got.length === 2);
  assert.deepEqual(bob.got, ['one', 'two']);
  await until('one connection', async () => (await links(user)).length === 1);
});

test('reload: what was not sent is sent by the page that comes after, once', async (t) => {
  const page = await tab(await profile(t, chrome.browser), chrome.url);
  const bob = await outsider(t, 'bob');
  const user = newUser('cleo');
  await link(user, 'offline');
  const options = { url: await relay(0, user), user };
  await page.start(options);
  await page.becomes('backoff');
  await page.send(bob.user, 'one', 'two', 'three');
  await page.stored('three');
  await page.reload();
  await page.start(options);
  await link(user, 'online');
  await until('all three are told', async () => (await page.seen('sent')).length === 3);
  await page.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  assert.deepEqual(bob.got, ['one', 'two', 'three', 'last']);
  await until('the outbox is empty', async () => !JSON.stringify(await page.rows()).includes('three'));
});

test('reload: what was sent without an answer is sent again, and arrives once', async (t) => {
  const page = await tab(await profile(t, chrome.browser), chrome.url);
  const bob = await outsider(t, 'bob');
  const user = newUser('dora');
  const options = { url: await relay(0, user), user };
  await page.start({ ...options, deaf: true });
  await page.becomes('online');
  await page.send(bob.user, 'unanswered');
  await until('it arrived', () => bob.got.length === 1);
  await page.reload();
  await page.start(options);
  await until('it is told', async () => (await page.seen('sent')).length === 1);
  await page.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  assert.deepEqual(bob.got, ['unanswered', 'last']);
});

test('two tabs: one connection; the other one goes on when the leading tab is closed', async (t) => {
  const context = await profile(t, chrome.browser);
  const bob = await outsider(t, 'bob');
  const user = newUser('eve');
  const options = { url: await relay(0, user), user };
  const leading = await tab(context, chrome.url);
  await leading.start(options);
  await leading.becomes('online');
  const other = await tab(context, chrome.url);
  await other.start(options);
  await other.becomes('online');
  await post(user, [1, 2]);
  assert.deepEqual(await leading.payloads(2), [1, 2]);
  assert.deepEqual(await other.payloads(2), [1, 2]);
  await other.send(bob.user, 'by the other');
  await until('the message', () => bob.got.length === 1);
  assert.equal((await links(user)).length, 1, 'connections');
  const clients = await until('the edge tells of the client', async () => {
    const now = (await presence(user)).clients;
    return now.length > 0 ? now : null;
  });
  assert.equal(clients.length, 1, 'clients');

  const sending = (async () => {
    for (let i = 3; i <= 40; i++) await post(user, [i]);
  })();
  await other.send(bob.user, ...numbers(1, 20));
  await other.payloads(10);
  await leading.page.close();
  await other.send(bob.user, ...numbers(21, 40));
  await sending;
  assert.deepEqual(await other.payloads(40), numbers(1, 40));
  await until('all of the other', () => bob.got.length >= 41);
  await other.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  assert.deepEqual(bob.got, ['by the other', ...numbers(1, 40), 'last']);
  await other.becomes('online');
  await until('one connection', async () => (await links(user)).length === 1);
  const replaced = (await other.seen('states')).filter(({ code, reason }) => code === 4002 || reason === 'replaced');
  assert.deepEqual(replaced, []);
});

/** Two tabs of a user; the first one leads. */
async function twoTabs(t, options, ofLeading = {}) {
  const context = await profile(t, chrome.browser);
  const tabs = [await tab(context, chrome.url), await tab(context, chrome.url)];
  for (const one of tabs) {
    await one.start({ ...options, ...(one === tabs[0] ? ofLeading : {}) });
    await one.becomes('online');
  }
  return tabs;
}

test('two tabs: close() of the leading one leaves the other its message, sent and not answered', async (t) => {
  const bob = await outsider(t, 'bob');
  const user = newUser('max');
  const [leading, other] = await twoTabs(t, { url: await relay(0, user), user }, { deaf: true });
  await other.send(bob.user, 'on its way');
  await until('it arrived', () => bob.got.length === 1);
  await leading.page.evaluate(() => window.client.close());
  assert.equal(await leading.state(), 'closed');
  await until('it settles', async () => (await other.seen('settled')).length === 1);
  await other.becomes('online');
  await other.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  assert.deepEqual(bob.got, ['on its way', 'last']);
  await post(user, ['for the open one']);
  assert.deepEqual(await other.payloads(1), ['for the open one']);
  assert.deepEqual(await leading.seen('payloads'), [], 'the closed one is told nothing');
  assert.equal((await links(user)).length, 1, 'connections');
  const settled = [await other.seen('settled'), await other.seen('dropped')];
  assert.deepEqual(settled, [['on its way', 'last'].map((payload) => [payload, 'sent']), []]);
});

test('two tabs: the process of the leading one dies; the other one leads, with all that was under way', async (t) => {
  const bob = await outsider(t, 'bob');
  const user = newUser('pia');
  const [leading, other] = await twoTabs(t, { url: await relay(0, user), user }, { deaf: true });
  await other.send(bob.user, 'on its way');
  await until('it arrived', () => bob.got.length === 1);
  const crashed = leading.page.waitForEvent('crash');
  const session = await leading.page.context().newCDPSession(leading.page);
  session.send('Page.crash').catch(() => {}); // nobody is left to answer
  await crashed;
  await post(user, ['meanwhile']);
  await other.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  await until('both settle', async () => (await other.seen('settled')).length === 2);
  assert.deepEqual(bob.got, ['on its way', 'last']);
  assert.deepEqual(await other.payloads(1), ['meanwhile']);
  assert.equal((await links(user)).length, 1, 'connections');
});

for (const [name, who] of [
  ['leading', 0],
  ['other', 1],
]) {
  test(`two tabs: logout() of the ${name} one is one of both, and carries nothing over`, async (t) => {
    const bob = await outsider(t, 'bob');
    const [ned, ora] = [newUser('ned'), newUser('ora')];
    const url = await relay(0, ned);
    const tabs = await twoTabs(t, { url, user: ned });
    await post(ned, ['for ned']);
    for (const one of tabs) await one.payloads(1);
    await link(ned, 'offline');
    for (const [i, one] of tabs.entries()) {
      await one.send(bob.user, `secret ${i}`);
      await one.stored(`secret ${i}`);
    }
    await tabs[who].page.evaluate(() => window.client.logout());
    for (const [i, one] of tabs.entries()) {
      await one.becomes('closed');
      await until('it settles', async () => (await one.seen('settled')).length === 1);
      assert.deepEqual(await one.seen('settled'), [[`secret ${i}`, 'logged_out']]);
      const dropped = (await one.seen('dropped')).map(({ payload, reason }) => [payload, reason]);
      assert.deepEqual(
        dropped,
        ['secret 0', 'secret 1'].map((payload) => [payload, 'logged_out']),
      );
    }
    const left = JSON.stringify(await tabs[who].rows());
    assert.ok(!left.includes('secret') && !left.includes(ned), left);
    await link(ned, 'online');
    await post(ned, ['late for ned']);
    for (const one of tabs) {
      await one.start({ url, user: ora });
      await one.becomes('online');
    }
    await post(ora, ['for ora']);
    for (const one of tabs) assert.deepEqual(await one.payloads(2), ['for ned', 'for ora']);
    for (const one of tabs) await one.send(bob.user, 'by ora');
    await until('both', () => bob.got.length === 2);
    assert.deepEqual(bob.got, ['by ora', 'by ora']);
    assert.equal((await links(ned)).length, 1, 'one connection, of the new account');
  });
}

test('a connection that lets nothing pass is noticed, and nothing is missing after it', async (t) => {
  const page = await tab(await profile(t, chrome.browser), chrome.url);
  const bob = await outsider(t, 'bob');
  const user = newUser('fay');
  await page.start({ url: await relay(0, user), user, heartbeat: { intervalMs: 400, timeoutMs: 400 } });
  await page.becomes('online');
  await link(user, 'freeze');
  await page.send(bob.user, 'into the ice');
  await post(user, ['from beyond']);
  assert.deepEqual(await page.payloads(1), ['from beyond']);
  await until('the message', () => bob.got.length === 1);
  await page.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  assert.deepEqual(bob.got, ['into the ice', 'last']);
  const types = (await page.seen('telemetry')).map(({ type }) => type);
  assert.ok(types.includes('heartbeat_timeout'), types.join(' '));
});

test('the edge dies and comes back: the client too, with everything', async (t) => {
  const page = await tab(await profile(t, chrome.browser), chrome.url);
  const bob = await outsider(t, 'bob');
  const user = newUser('gus');
  const [edge, sibling] = (await status()).edges;
  await page.start({ url: edge.ws, user });
  await page.becomes('online');
  await dev('POST', `/dev/edges/${edge.id}/kill`, sibling.http);
  await until('the connection ended', async () => (await page.state()) !== 'online');
  await page.send(bob.user, 'one');
  await post(user, ['two'], sibling.http);
  assert.deepEqual(await page.payloads(1), ['two']);
  await page.send(bob.user, 'last');
  await until('the last one', () => bob.got.includes('last'));
  assert.deepEqual(bob.got, ['one', 'last']);
  assert.equal(await page.state(), 'online');
});

test('logout carries nothing over to the next account', async (t) => {
  const page = await tab(await profile(t, chrome.browser), chrome.url);
  const bob = await outsider(t, 'bob');
  const [hal, ida] = [newUser('hal'), newUser('ida')];
  const url = await relay(0, hal);
  await page.start({ url, user: hal });
  await page.becomes('online');
  await post(hal, ['for hal']);
  await page.payloads(1);
  await link(hal, 'offline');
  await page.send(bob.user, 'secret');
  await page.stored('secret');
  await page.page.evaluate(() => window.client.logout());
  assert.deepEqual(
    (await page.seen('dropped')).map(({ payload, reason }) => [payload, reason]),
    [['secret', 'logged_out']],
  );
  const left = JSON.stringify(await page.rows());
  assert.ok(!left.includes('secret') && !left.includes(hal), left);
  await link(hal, 'online');
  await page.start({ url, user: ida });
  await page.becomes('online');
  await post(ida, ['for ida']);
  assert.deepEqual(await page.payloads(2), ['for hal', 'for ida']);
  await page.send(bob.user, 'by ida');
  await until('the message', () => bob.got.length > 0);
  assert.deepEqual(bob.got, ['by ida']);
});

test('without logout an account finds its own again, and nothing else', async (t) => {
  const page = await tab(await profile(t, chrome.browser), chrome.url);
  const bob = await outsider(t, 'bob');
  const [jo, kim] = [newUser('jo'), newUser('kim')];
  const url = await relay(0, jo);
  await link(jo, 'offline');
  await page.start({ url, user: jo });
  await page.send(bob.user, 'by jo');
  await page.stored('by jo');
  await page.page.evaluate(() => window.client.close());
  await link(jo, 'online');
  await page.start({ url, user: kim });
  await page.send(bob.user, 'by kim');
  await until('the message', () => bob.got.length > 0);
  assert.deepEqual(bob.got, ['by kim']);
  await page.page.evaluate(() => window.client.close());
  await page.start({ url, user: jo });
  await until('the other one', () => bob.got.length > 1);
  assert.deepEqual(bob.got, ['by kim', 'by jo']);
});

for (const storage of ['indexeddb', 'local']) {
  test(`what is kept lies in ${storage}, and a reload goes on with it`, async (t) => {
    const page = await tab(await profile(t, chrome.browser), chrome.url);
    const user = newUser('lea');
    const options = { url: await relay(0, user), user, ...(storage === 'local' ? { storage } : {}) };
    await page.start(options);
    await post(user, ['one']);
    await page.payloads(1);
    const kept = async () => {
      const local = await page.page.evaluate(() => ({ ...localStorage }));
      return { local: Object.keys(local).length, rows: Object.keys((await page.rows()) ?? {}).length };
    };
    const { local, rows } = await until('something is kept', async () => {
      const now = await kept();
      return now.local + now.rows > 0 ? now : null;
    });
    assert.equal(local > 0, storage === 'local', `${local} entries in localStorage`);
    assert.equal(rows > 0, storage === 'indexeddb', `${rows} rows in IndexedDB`);
    const clients = async () => (await presence(user)).clients.map(({ clientId }) => clientId);
    const before = await until('the edge tells of the client', async () => (await clients())[0]);
    await page.reload();
    await post(user, ['two']);
    await page.start(options);
    await until('the second', async () => (await page.seen('payloads')).includes('two'));
    const { type } = (await page.seen('telemetry')).find((event) => /resumed$/.test(event.type));
    assert.equal(type, 'resumed');
    await until('the same client', async () => (await clients()).join() === before);
  });
}
