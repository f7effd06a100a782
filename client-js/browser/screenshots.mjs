// Takes the pictures of the README: the chat and the board after a cut, with the panel that made it.
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { args, executablePath } from './chromium.mjs';
import { board, chat } from './pages.mjs';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({ executablePath, args });
const newContext = () => browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });

async function shoot(page, name) {
  await page.evaluate(() => document.activeElement?.blur()); // no ring around what was clicked last
  await page.screenshot({ path: `${folder}${name}.png` });
  await page.context().close();
}

async function talk() {
  const { page, phone, card, write, recovered } = await chat(await newContext());
  const say = async (from, to, text) => {
    await write(from, text);
    await phone(to).getByText(text, { exact: true }).waitFor();
  };
  await say('alice', 'bob', 'Train’s about to enter the tunnel');
  await say('bob', 'alice', 'See you on the other side');
  await say('bob', 'alice', 'Platform 4, by the clock');
  await card('bob').getByRole('button', { name: 'Go offline' }).click();
  await phone('bob').locator('.pill[data-state=offline-wait]').waitFor();
  await write('alice', 'Are you still there?');
  await write('alice', 'I’ll be ten minutes late');
  await phone('alice').locator('.tick[data-tick=sent]').nth(1).waitFor();
  await card('bob').getByRole('button', { name: 'Go online' }).click();
  await phone('bob').getByText('I’ll be ten minutes late').waitFor();
  await say('bob', 'alice', 'Got both. No hurry!');
  await card('alice').getByRole('button', { name: 'Cut' }).click();
  await recovered('alice');
  await say('alice', 'bob', 'That was a cut, and here I am');
  await phone('alice').locator('.tick[data-tick=delivered]').nth(3).waitFor();
  await shoot(page, 'chat');
}

async function prices() {
  const { page, card, moving, recovered } = await board(await newContext());
  const seconds = (n) => page.waitForTimeout(n * 1000); // the chart needs some to show
  await seconds(20);
  await card('watcher').getByRole('button', { name: 'Cut' }).click();
  await recovered('watcher');
  await moving();
  await seconds(12);
  await shoot(page, 'market');
}

await talk();
await prices();
await browser.close();
