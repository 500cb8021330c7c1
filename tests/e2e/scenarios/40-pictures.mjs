// The pictures of the README: dark, light and high contrast.
import path from 'node:path';
import { courier, machineSettings } from '../settings.mjs';

const THEMES = {
  dark: 'Dark Modern',
  light: 'Light Modern',
  'high-contrast': 'Dark High Contrast',
};

export const options = () => ({
  fill: courier,
  machineSettings,
  userSettings: {
    'workbench.colorTheme': THEMES.dark,
    'editor.fontSize': 14,
    'editor.hover.above': false,
    'editor.occurrencesHighlight': 'off',
    'editor.renderWhitespace': 'none',
    'editor.cursorBlinking': 'solid',
  },
});

export async function run({ w, test, artifacts }) {
  const { page } = w;
  await page.setViewportSize({ width: 1280, height: 760 });

  await test('a panel worth showing', async () => {
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await widen(page, 120);
    await w.openFile('rate_limiter.py');
    await w.command('Vouch: Find Experts');
    await w.answer('rate limiter');
    await w.row('Experts', 'rate limiter').waitFor();
    await w.command('Vouch: New Prompt');
    await w.activeTab('Untitled');
    await page.waitForTimeout(500);
    await page.keyboard.type(
      'Tomasz wants eight instances of Relay before the 23rd.\n\nBefore we scale out: does the rate limiter still count for each instance,\nand what did INC-118 teach us about restarting one that is not drained?\n',
    );
    await w.expand('In Play', 'INC-118');
    await page.mouse.move(700, 500);
    await page.waitForTimeout(600);
  });

  for (const [name, theme] of Object.entries(THEMES)) {
    await test(`in ${name}`, async () => {
      await w.command('Preferences: Color Theme');
      await w.quickInputRow(theme);
      await page.locator('.monaco-workbench').and(page.locator(`.${CLASSES[name]}`)).waitFor();
      await page.waitForTimeout(700);
      await w.picture(path.join(artifacts, `picture-${name}.png`));
    });
  }

  await test('a hover worth showing', async () => {
    await w.command('Preferences: Color Theme');
    await w.quickInputRow(THEMES.dark);
    await page.locator('.monaco-workbench.vs-dark').waitFor();
    await w.openFile('rate_limiter.py');
    await w.hover('Relay', 'live claim');
    await page.waitForTimeout(400);
    await w.picture(path.join(artifacts, 'picture-hover.png'));
  });
}

const CLASSES = { dark: 'vs-dark', light: 'vs', 'high-contrast': 'hc-black' };

/** Makes the side bar wider. */
async function widen(page, by) {
  const { x, width, y } = await page.locator('.part.sidebar').boundingBox();
  await page.mouse.move(x + width + 1, y + 300);
  await page.mouse.down();
  await page.mouse.move(x + width + 1 + by, y + 300, { steps: 5 });
  await page.mouse.up();
}
