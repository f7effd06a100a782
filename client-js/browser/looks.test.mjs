// The pages of `holdfast dev` as people look at them: on a phone and on a desk, by day and by night, with a screen reader
// and with the keyboard alone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { base, launch, profile } from './kit.mjs';
import { board, chat } from './pages.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 900 };
const OPENERS = {
  start: async (context) => {
    const page = await context.newPage();
    await page.goto(`${base}/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return { page };
  },
  chat,
  market: board,
};

let chrome;
before(async () => (chrome = await launch()));
after(() => chrome.close());

/** What WCAG 2.1 A and AA find wrong, contrast included. */
async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }),
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

for (const [name, open] of Object.entries(OPENERS)) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${name}, ${colorScheme}: nothing is wrong with it for whoever sees, hears or types differently`, async (t) => {
      const context = await profile(t, chrome.browser, { viewport: DESK, colorScheme, reducedMotion: 'reduce' });
      const { page } = await open(context);
      assert.deepEqual(await violations(page), []);
    });
  }

  test(`${name}: a phone shows all of it, one below the other`, async (t) => {
    const context = await profile(t, chrome.browser, { viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = await open(context);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= PHONE.width, `${wide} px wide`);
    const cut = await page.evaluate(
      (width) =>
        [...document.querySelectorAll('button, input, select, a:not(.skip), h1, h2')]
          .map((one) => ({ one, box: one.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.left < 0 || box.right > width + 0.5))
          .map(({ one }) => one.outerHTML),
      PHONE.width,
    );
    assert.deepEqual(cut, []);
    assert.deepEqual(await violations(page), []);
  });
}

test('by night the pages are dark', async (t) => {
  const luminance = async (colorScheme) => {
    const { page } = await OPENERS.start(await profile(t, chrome.browser, { colorScheme }));
    const color = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [r, g, b] = color.match(/\d+/g).map(Number);
    return r + g + b;
  };
  assert.ok((await luminance('light')) > 600);
  assert.ok((await luminance('dark')) < 200);
});

test('chat: with the keyboard alone', async (t) => {
  const { page, phone } = await chat(await profile(t, chrome.browser, { viewport: DESK }));
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let n = 0; n < 40 && (await focused()) !== 'Message from alice'; n++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Message from alice');
  const text = `by keyboard ${Date.now()}`;
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await phone('bob').getByText(text, { exact: true }).waitFor();
});
