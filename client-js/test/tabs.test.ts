// several tabs share one connection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, calm, message, sentBy, three, welcome, type Tab } from './browser.js';

test('R-1.12 all tabs share one connection, and all are told', async () => {
  const { browser, tabs } = await three();
  for (const tab of tabs) assert.equal(tab.client.state, 'online');
  browser.made[0]!.deliver(message(1));
  await calm();
  for (const tab of tabs) assert.deepEqual(tab.got, [1]);
  assert.deepEqual(
    sentBy(browser.made[0]!, 'ack').map(({ seq }) => seq),
    [1],
  );
});

test('R-1.12 a send in any tab goes through the one outbox and settles in its tab', async () => {
  const { browser, tabs } = await three();
  const outcome = tabs[2]!.client.send({ user: 'eve' }, 'hi');
  await calm();
  const [frame] = sentBy(browser.made[0]!, 'send');
  browser.made[0]!.deliver({ type: 'sent', clientMsgId: frame.clientMsgId, msgId: 'M' });
  assert.deepEqual(await outcome, { msgId: 'M' });
  await assert.rejects(tabs[1]!.client.send({ user: 'not a name' }, 1), { code: 'bad_frame' });
});

test('R-1.12 when the leading tab dies another one resumes, and repeats what was under way', async () => {
  const { browser, tabs } = await three();
  const [leader, heir, other] = tabs as [Tab, Tab, Tab];
  browser.made[0]!.deliver(message(1));
  await calm();
  const outcome = other.client.send({ user: 'eve' }, 'hi', { clientMsgId: 'x' });
  await calm();
  leader.die();
  await calm();
  assert.equal(browser.made.length, 2);
  welcome(browser.made[1]!, { seq: 2, ackSeq: 1 });
  await calm();
  const [hello] = sentBy(browser.made[1]!, 'hello');
  assert.equal(hello.lastSeq, 1);
  browser.made[1]!.deliver(message(2));
  await calm();
  assert.deepEqual(heir.got, [1, 2]);
  assert.deepEqual(other.got, [1, 2]);
  assert.deepEqual(
    sentBy(browser.made[1]!, 'send').map(({ clientMsgId }) => clientMsgId),
    ['x'],
  );
  browser.made[1]!.deliver({ type: 'sent', clientMsgId: 'x', msgId: 'M' });
  assert.deepEqual(await outcome, { msgId: 'M' });
  assert.equal(browser.alive.length, 1);
});

test('R-1.12 R-5.1 what a dead leader told but had not stored is told to nobody again', async () => {
  const { browser, tabs } = await three();
  const [leader, heir, other] = tabs as [Tab, Tab, Tab];
  leader.client.on('message', () => new Promise(() => {})); // its handler hangs: nothing is acknowledged or stored
  browser.made[0]!.deliver(message(1));
  await calm();
  assert.deepEqual([heir.got, other.got], [[1], [1]]);
  leader.die();
  await calm();
  welcome(browser.made[1]!, { seq: 1, ackSeq: 0 });
  await calm();
  assert.equal(sentBy(browser.made[1]!, 'hello')[0].lastSeq, 0);
  browser.made[1]!.deliver({ ...message(1), redelivered: true });
  await calm();
  assert.deepEqual([heir.got, other.got], [[1], [1]]);
  assert.deepEqual(
    sentBy(browser.made[1]!, 'ack').map(({ seq }) => seq),
    [1],
  );
});

test('R-4.7 a channel is subscribed to once for all, and left with the last tab that wants it', async () => {
  const { browser, tabs } = await three();
  const socket = browser.made[0]!;
  tabs[1]!.client.subscribe('rooms:a');
  tabs[2]!.client.subscribe('rooms:a');
  await calm();
  assert.equal(sentBy(socket, 'subscribe').length, 1);
  socket.deliver({ type: 'subscribed', channel: 'rooms:a', position: '1', recovered: false, reason: 'new' });
  socket.deliver({ type: 'event', channel: 'rooms:a', position: '2', ts: 1, payload: 'e' });
  // the leader has a handler for events too, and did not subscribe: it is told what its connection brings
  await calm();
  assert.deepEqual([tabs[1]!.events, tabs[2]!.events], [['e'], ['e']]);
  tabs[1]!.client.unsubscribe('rooms:a');
  await calm();
  assert.equal(sentBy(socket, 'unsubscribe').length, 0);
  tabs[2]!.die();
  await calm();
  assert.equal(sentBy(socket, 'unsubscribe').length, 1);
});

test('R-1.12 close() in the leading tab hands over; the last one closes the connection', async () => {
  const { browser, tabs } = await three();
  await tabs[0]!.client.close();
  await calm();
  assert.equal(tabs[0]!.client.state, 'closed');
  assert.equal(browser.made.length, 2);
  assert.equal(browser.made[0]!.closedBy!.code, 1000);
  welcome(browser.made[1]!);
  await calm();
  assert.equal(tabs[1]!.client.state, 'online');
  await tabs[1]!.client.close();
  await tabs[2]!.client.close();
  await calm();
  assert.equal(browser.alive.length, 0);
  assert.equal(browser.clock.timers.length, 0);
  tabs[0]!.client.connect();
  await calm();
  assert.equal(browser.alive.length, 1, 'and it can begin anew');
});

test('R-1.12 close() and connect() at once make one connection, and the others are heard again', async () => {
  const browser = new Browser();
  const tab = browser.open();
  tab.client.connect();
  await calm();
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  const closing = tab.client.close();
  tab.client.connect();
  await closing;
  await calm();
  assert.equal(browser.made.length, 2);
  assert.ok(browser.made[0]!.closedBy, 'the first one is closed');
  welcome(browser.made[1]!);
  await calm();
  assert.equal(tab.client.state, 'online');
  const second = browser.open();
  second.client.connect();
  await calm();
  assert.equal(browser.made.length, 2, 'they share it');
  assert.equal(second.client.state, 'online');
});

test('R-1.13 logout() in one tab logs all of them out, and nothing is left', async () => {
  const { browser, tabs } = await three();
  const pending = tabs[1]!.client.send({ user: 'eve' }, 'hi');
  await calm();
  await tabs[2]!.client.logout();
  await calm();
  await assert.rejects(pending, { code: 'logged_out' });
  for (const tab of tabs) assert.equal(tab.client.state, 'closed');
  assert.equal(browser.alive.length, 0);
  assert.deepEqual(await browser.store.keys(''), []);
  assert.equal(browser.clock.timers.length, 0);
});

test('R-1.13 two accounts in two tabs have a connection each', async () => {
  const browser = new Browser();
  for (const user of ['bob', 'eve']) browser.open(user).client.connect();
  await calm();
  assert.equal(browser.made.length, 2);
});

test('R-1.9 a final end is final for all tabs, until one asks', async () => {
  const { browser, tabs } = await three();
  browser.made[0]!.end(4410, 'kicked');
  await calm();
  await browser.clock.advance(3_600_000);
  for (const tab of tabs) assert.equal(tab.client.state, 'closed');
  assert.equal(browser.made.length, 1);
  tabs[1]!.client.connect();
  await calm();
  assert.equal(browser.made.length, 2);
});

test('where tabs.js cannot be loaded it is tried again, and what was asked meanwhile is done', async () => {
  const browser = new Browser();
  browser.parts.reachable = false;
  const tab = browser.open();
  const told: unknown[] = [];
  tab.client.on('telemetry', ({ type, reason }) => void (type === 'load_failed' && told.push(reason)));
  tab.client.connect();
  await calm();
  assert.equal(browser.made.length, 0);
  browser.parts.reachable = true;
  await browser.clock.advance(2000);
  await calm();
  assert.deepEqual(told, ['tabs.js: TypeError: Failed to fetch dynamically imported module']);
  assert.equal(browser.made.length, 1);
  const other = browser.open();
  other.client.connect();
  await calm();
  assert.equal(browser.made.length, 1); // they share
});

test('a page that lacks tabs.js is a client of its own, after three tries', async () => {
  const browser = new Browser();
  browser.parts.reachable = false;
  const tabs = [browser.open(), browser.open()];
  const told: unknown[] = [];
  tabs[0]!.client.on('telemetry', ({ type }) => void (type === 'load_failed' && told.push(type)));
  for (const tab of tabs) tab.client.connect();
  await calm();
  for (let i = 0; i < 20; i++) await browser.clock.advance(500);
  assert.equal(told.length, 3);
  assert.equal(browser.parts.asked, 6);
  assert.equal(browser.alive.length, 2);
  for (const socket of browser.alive) socket.open();
  await calm();
  const names = browser.alive.map(({ sent }) => JSON.parse(sent[0]!).clientId as string);
  assert.notEqual(names[0], names[1]);
});

const jwt = (sub: string): string => `a.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.c`;
const types = (tab: Tab): string[] => tab.telemetry.map(({ type }) => type);

/** Time passes until something is connected, or 60 s at most. */
async function reconnected(browser: Browser, connections: number): Promise<void> {
  for (let i = 0; i < 120 && browser.made.length < connections; i++) {
    await browser.clock.advance(500);
    await calm(5);
  }
  assert.equal(browser.made.length, connections);
}

test('R-1.10 R-1.12 a token that cannot be had at the start is asked for again by backoff, and what was sent waits', async () => {
  const browser = new Browser();
  let give: () => Promise<string> = () => Promise.reject(new Error('no token now'));
  const tab = browser.open(null, { token: () => give() });
  const outcome = tab.client.send({ user: 'eve' }, 'hi');
  tab.client.connect();
  await calm();
  assert.equal(tab.client.state, 'backoff');
  assert.deepEqual(tab.states, ['connecting', 'backoff']);
  assert.ok(types(tab).includes('attempt_failed'));
  await assert.rejects(tab.client.history(), { code: 'token_failed' });
  give = () => new Promise(() => {}); // and once more, in vain
  await browser.clock.advance(20_000);
  await calm();
  assert.equal(browser.made.length, 0);
  give = () => Promise.resolve(jwt('bob'));
  await reconnected(browser, 1);
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  assert.equal(tab.client.state, 'online');
  const [frame] = sentBy(browser.made[0]!, 'send');
  browser.made[0]!.deliver({ type: 'sent', clientMsgId: frame.clientMsgId, msgId: 'M' });
  assert.deepEqual(await outcome, { msgId: 'M' });
});

test('R-1.8 R-1.12 without a name the tab rests after eight tries, until the network returns or the app asks', async () => {
  const browser = new Browser();
  let asked = 0;
  const token = (): Promise<string> => (asked++, Promise.reject(new Error('no token now')));
  const tab = browser.open(null, { token });
  tab.client.connect();
  await calm();
  await browser.clock.advance(600_000);
  assert.equal(tab.client.state, 'offline-wait');
  assert.equal(asked, 8);
  tab.signals.tell('online');
  await browser.clock.advance(2000);
  assert.ok(asked > 8);
  await browser.clock.advance(600_000);
  assert.equal(tab.client.state, 'offline-wait');
  const before = asked;
  tab.client.connect();
  await browser.clock.advance(2000);
  assert.ok(asked > before);
  await tab.client.close();
  assert.equal(browser.clock.timers.length, 0);
  assert.equal(tab.signals.listeners.size, 0);
});

test('R-5.2 R-1.13 what waits for the name in a tab is bounded, and close() and logout() wait for no token', async () => {
  const browser = new Browser();
  let give: () => Promise<string> = () => new Promise(() => {});
  const tab = browser.open(null, { token: () => give(), outboxMax: 2 });
  const dropped: unknown[] = [];
  tab.client.on('dropped', ({ payload, reason }) => void dropped.push([payload, reason]));
  const codes: string[] = [];
  for (const payload of [1, 2, 3]) {
    tab.client.send({ user: 'eve' }, payload).catch(({ code }: { code: string }) => codes.push(code));
  }
  tab.client.connect();
  await calm();
  assert.deepEqual(codes, ['overflow']);
  await tab.client.close();
  give = () => Promise.resolve(jwt('bob'));
  await browser.clock.advance(60_000);
  await calm();
  assert.equal(browser.made.length, 0);
  await assert.rejects(tab.client.logout(), { code: 'token_failed' });
  await calm();
  assert.deepEqual(codes, ['overflow', 'logged_out', 'logged_out']);
  assert.deepEqual(dropped, [
    [1, 'overflow'],
    [2, 'logged_out'],
    [3, 'logged_out'],
  ]);
  assert.equal(browser.clock.timers.length, 0);
});

test('R-1.12 a tab that is closed before its name is known takes no lock', async () => {
  const browser = new Browser();
  let come: (token: string) => void = () => {};
  const tab = browser.open(null, { token: () => new Promise((resolve) => (come = resolve)) });
  tab.client.connect();
  await calm();
  await tab.client.close();
  come(jwt('bob'));
  await calm();
  const other = browser.open('bob');
  other.client.connect();
  await calm();
  assert.equal(browser.made.length, 1);
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  assert.deepEqual([other.client.state, tab.client.state], ['online', 'closed']);
  browser.made[0]!.deliver(message(1));
  await calm();
  assert.deepEqual([other.got, tab.got], [[1], []]);
});

test('R-1.12 a lock that is refused is asked for again', async () => {
  const browser = new Browser();
  browser.refuseLocks = 3;
  const tab = browser.open();
  tab.client.connect();
  await calm();
  assert.equal(tab.client.state, 'backoff');
  await reconnected(browser, 1);
});

test('R-1.9 after a final end no tab connects, whatever another one asks for or whoever leads, but the one that asks', async () => {
  const { browser, tabs } = await three();
  const [leader, second, third] = tabs as [Tab, Tab, Tab];
  browser.made[0]!.end(4410, 'kicked');
  await calm();
  second.client.subscribe('rooms:a');
  third.client.watch(['eve']);
  await calm();
  leader.client.subscribe('rooms:b');
  await calm();
  assert.equal(browser.made.length, 1);
  leader.die();
  await calm();
  await browser.clock.advance(60_000);
  assert.equal(browser.made.length, 1);
  assert.deepEqual([second.client.state, third.client.state], ['closed', 'closed']);
  third.client.connect();
  await calm();
  assert.equal(browser.made.length, 2);
  welcome(browser.made[1]!);
  await calm();
  browser.made[1]!.deliver(message(1));
  await calm();
  assert.deepEqual([second.client.state, third.client.state], ['closed', 'online']);
  assert.deepEqual([second.got, third.got], [[], [1]], 'the closed one is told nothing');
  second.client.connect();
  await calm();
  assert.equal(second.client.state, 'online');
  assert.equal(browser.alive.length, 1);
});

test('R-1.6 connect() in any tab cuts the backoff short', async () => {
  const { browser, tabs } = await three();
  for (let i = 1; i < 6; i++) {
    browser.made[i - 1]!.end();
    await reconnected(browser, i + 1);
  }
  browser.made[5]!.end();
  await calm();
  assert.equal(tabs[2]!.client.state, 'backoff');
  tabs[2]!.client.connect();
  await calm();
  await browser.clock.advance(500);
  await calm();
  assert.equal(browser.made.length, 7);
});

test('R-4.7 R-1.12 a new leader goes on in a channel where the tabs are, not where the app once began', async () => {
  for (const stored of [true, false]) {
    const { browser, tabs } = await three();
    const [leader, heir, other] = tabs as [Tab, Tab, Tab];
    for (const tab of tabs) tab.client.subscribe('rooms:a', { position: '3' });
    await calm();
    const event = (n: number): object => ({
      type: 'event',
      channel: 'rooms:a',
      position: String(n),
      ts: 1,
      payload: n,
    });
    assert.equal(sentBy(browser.made[0]!, 'subscribe')[0].position, '3');
    browser.made[0]!.deliver({ type: 'subscribed', channel: 'rooms:a', position: '3', recovered: true });
    for (const n of [4, 5, 6]) browser.made[0]!.deliver(event(n));
    await calm();
    if (stored) await browser.clock.advance(1000);
    leader.die();
    await calm();
    welcome(browser.made[1]!);
    await calm();
    const asked = [...(sentBy(browser.made[1]!, 'hello')[0].channels ?? []), ...sentBy(browser.made[1]!, 'subscribe')];
    assert.deepEqual(
      asked.map(({ channel, position }: any) => [channel, position]),
      [['rooms:a', '6']],
    );
    browser.made[1]!.deliver({ type: 'subscribed', channel: 'rooms:a', position: '6', recovered: true });
    browser.made[1]!.deliver(event(7));
    await calm();
    assert.deepEqual(
      [heir.events, other.events],
      [
        [4, 5, 6, 7],
        [4, 5, 6, 7],
      ],
    );
    heir.client.unsubscribe('rooms:a');
    other.client.unsubscribe('rooms:a');
    await calm();
    other.client.subscribe('rooms:a');
    await calm();
    assert.equal(sentBy(browser.made[1]!, 'subscribe').pop().position, undefined, 'a new one begins now');
  }
});

test('R-1.13 logout() and connect() from within a handler of `closed`: every tab comes back as the next account', async () => {
  const browser = new Browser();
  let user = 'bob';
  const tabs = [1, 2].map(() => browser.open(null, { token: () => jwt(user) }));
  for (const tab of tabs) tab.client.connect();
  await calm();
  welcome(browser.made[0]!, { resumed: false, reason: 'new' });
  await calm();
  for (const tab of tabs) {
    const off = tab.client.on('state', ({ state }) => {
      if (state !== 'closed') return;
      off();
      tab.client.connect();
    });
  }
  user = 'eve';
  await tabs[1]!.client.logout();
  await calm();
  assert.equal(browser.alive.length, 1);
  welcome(browser.alive[0]!, { resumed: false, reason: 'new' });
  await calm();
  for (const tab of tabs) assert.equal(tab.client.state, 'online');
  assert.equal(sentBy(browser.alive[0]!, 'hello')[0].token, jwt('eve'));
  assert.deepEqual(await browser.store.keys('holdfast/1/ws://a/v1/ws/bob/'), []);
});

test('R-1.2 a connect() that close() took back is not remembered when the tab sends later', async () => {
  const browser = new Browser();
  const tab = browser.open(null, { token: () => jwt('bob') });
  tab.client.connect();
  void tab.client.close();
  void tab.client.send({ user: 'eve' }, 'kept');
  await calm();
  await browser.clock.advance(60_000);
  assert.equal(browser.made.length, 0);
  tab.client.connect();
  await calm();
  assert.equal(browser.made.length, 1);
});
