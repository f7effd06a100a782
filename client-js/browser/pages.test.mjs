// The pages of `holdfast dev`, as a person uses them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, profile } from './kit.mjs';
import { board, chat } from './pages.mjs';

let chrome;
before(async () => (chrome = await launch()));
after(() => chrome.close());

test('chat: one tick when it is sent, two when the other one has it', async (t) => {
  const { phone, write, card, online } = await chat(await profile(t, chrome.browser));
  await write('alice', 'hello');
  await phone('bob').getByText('hello', { exact: true }).waitFor();
  await phone('alice').locator('.tick[data-tick=delivered]').waitFor();
  await card('bob').getByRole('button', { name: 'Go offline' }).click();
  await phone('bob').locator('.pill[data-state=offline-wait]').waitFor();
  await write('alice', 'are you there?');
  await phone('alice').locator('.tick[data-tick=sent]').waitFor();
  assert.equal(await phone('bob').getByText('are you there?').count(), 0);
  await card('bob').getByRole('button', { name: 'Go online' }).click();
  await phone('bob').getByText('are you there?', { exact: true }).waitFor();
  await phone('alice').locator('.tick[data-tick=delivered]').nth(1).waitFor();
  await write('bob', 'yes');
  await phone('alice').getByText('yes', { exact: true }).waitFor();
  await online();
});

test('chat: a connection that is cut comes back by itself, and tells how long it took', async (t) => {
  const { phone, write, card, recovered } = await chat(await profile(t, chrome.browser));
  await card('alice').getByRole('button', { name: 'Cut' }).click();
  await write('alice', 'over the cut');
  await recovered('alice');
  await phone('bob').getByText('over the cut', { exact: true }).waitFor();
  assert.equal(await phone('bob').getByText('over the cut', { exact: true }).count(), 1);
});

test('market: prices move, and move again after a cut', async (t) => {
  const { card, moving, recovered } = await board(await profile(t, chrome.browser));
  await moving();
  await card('watcher').getByRole('button', { name: 'Cut' }).click();
  await recovered('watcher');
  await moving();
});
