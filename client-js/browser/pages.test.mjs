// The pages of `holdfast dev`, as a person uses them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, profile, run } from './kit.mjs';
import { board, chat } from './pages.mjs';

/** The text that no earlier run has left: exactly one line has it. */
const unique = (text) => `${text} (${run})`;

let chrome;
before(async () => (chrome = await launch()));
after(() => chrome.close());

test('chat: one tick when it is sent, two when the other one has it', async (t) => {
  const { phone, write, card, online } = await chat(await profile(t, chrome.browser));
  const [hello, question, answer] = ['hello', 'are you there?', 'yes'].map(unique);
  await write('alice', hello);
  await phone('bob').getByText(hello, { exact: true }).waitFor();
  await phone('alice').locator('.tick[data-tick=delivered]').waitFor();
  await card('bob').getByRole('button', { name: 'Go offline' }).click();
  await phone('bob').locator('.pill[data-state=offline-wait]').waitFor();
  await write('alice', question);
  await phone('alice').locator('.tick[data-tick=sent]').waitFor();
  assert.equal(await phone('bob').getByText(question, { exact: true }).count(), 0);
  await card('bob').getByRole('button', { name: 'Go online' }).click();
  await phone('bob').getByText(question, { exact: true }).waitFor();
  await phone('alice').locator('.tick[data-tick=delivered]').nth(1).waitFor();
  await write('bob', answer);
  await phone('alice').getByText(answer, { exact: true }).waitFor();
  await online();
});

test('chat: a connection that is cut comes back by itself, and tells how long it took', async (t) => {
  const { phone, write, card, recovered } = await chat(await profile(t, chrome.browser));
  const text = unique('over the cut');
  await card('alice').getByRole('button', { name: 'Cut' }).click();
  await write('alice', text);
  await recovered('alice');
  await phone('bob').getByText(text, { exact: true }).waitFor();
  assert.equal(await phone('bob').getByText(text, { exact: true }).count(), 1);
});

test('market: prices move, and move again after a cut', async (t) => {
  const { card, moving, recovered } = await board(await profile(t, chrome.browser));
  await moving();
  await card('watcher').getByRole('button', { name: 'Cut' }).click();
  await recovered('watcher');
  await moving();
});
