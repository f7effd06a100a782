// The pages of `holdfast dev`, opened and found one's way in, for the tests and the pictures.
import { PATIENCE_MS, base } from './kit.mjs';

async function open(context, path) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(base + path);
  const card = (user) => page.locator(`.subject[aria-label^="Connection of ${user}"]`);
  return {
    page,
    card,
    /** After a break: the panel tells how long it took. */
    recovered: async (user) => {
      await card(user).locator('.figures div', { hasText: 'recovery' }).locator('dd', { hasText: /\d/ }).waitFor();
      await card(user).locator('.pill[data-state=online]').waitFor();
    },
  };
}

/** The chat, with alice and bob online. */
export async function chat(context) {
  const opened = await open(context, '/chat.html');
  const phone = (user) => opened.page.getByRole('region', { name: `${user}’s phone` });
  const online = async () => {
    for (const user of ['alice', 'bob']) await phone(user).locator('.pill[data-state=online]').waitFor();
  };
  const write = async (user, text) => {
    const input = phone(user).getByRole('textbox', { name: `Message from ${user}` });
    await input.fill(text);
    await input.press('Enter');
  };
  await online();
  return { ...opened, phone, online, write };
}

/** The board, with a first price of everything. */
export async function board(context) {
  const opened = await open(context, '/market.html');
  const { page } = opened;
  const prices = () => page.locator('.quote .price').allTextContents();
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('.quote .price')];
    return all.length > 0 && all.every((price) => /\d/.test(price.textContent));
  });
  /** Waits until most prices are others than now. */
  const moving = async () => {
    const before = await prices();
    await page.waitForFunction((old) => {
      const all = [...document.querySelectorAll('.quote .price')];
      return all.filter((price, i) => price.textContent !== old[i]).length > old.length / 2;
    }, before);
  };
  return { ...opened, moving };
}
