// The courier after a quarter of an hour, and the walkthrough.
import path from 'node:path';
import { pictures, THEMES } from '../themes.mjs';
import { courier, machineSettings, until } from '../settings.mjs';

export const options = () => ({
  fill: courier,
  machineSettings,
  userSettings: {
    'workbench.colorTheme': THEMES.dark[0],
    'editor.fontSize': 14,
    'editor.hover.above': false,
    'editor.occurrencesHighlight': 'off',
    'editor.renderWhitespace': 'none',
    'editor.cursorBlinking': 'solid',
  },
});

export async function run({ w, test, artifacts }) {
  const { page } = w;
  await page.setViewportSize({ width: 1280, height: 720 });

  await test('the walkthrough has its pictures', async () => {
    await page.keyboard.press('Control+B');
    await w.command('Welcome: Open Walkthrough...');
    await w.quickInputRow('Get Started with Vouch');
    for (const [at, title] of ['Open a file', 'Point at a name', 'See what is in play', 'Ask who knows', 'Take it along'].entries()) {
      await page.locator('.getting-started-step', { hasText: title }).click();
      await page.waitForTimeout(1_500);
      await w.picture(path.join(artifacts, `40-pictures-walkthrough-${at + 1}.png`));
    }
    await page.keyboard.press('Control+W');
    await page.keyboard.press('Control+B');
  });

  await test('a panel worth showing', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await widen(page, 130);
    await page.locator('.part.sidebar .pane-header', { hasText: 'Experts' }).click(); // room for the others
    await w.openFile('runbook.md');
    await w.toEnd();
    await page.keyboard.type(TYPED);
    await w.row('In Play', 'Priya Raman').waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'Dead letters' }).click();
    await w.row('In This File', 'L7').waitFor();
    const claim = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    await claim.getByText('dead-letter queue').first().waitFor();
    await page.mouse.move(900, 700);
    await page.waitForTimeout(1_000);
  });

  await test('in every theme', () => pictures(w, artifacts, 'courier', () => w.hover('Relay', 'live claim')));

  await test('the settings stand in the settings editor', async () => {
    await w.command('Preferences: Open Settings (UI)');
    const ours = page.locator('.settings-editor', { hasText: 'Names: Never' });
    await until(async () => {
      await page.locator('.settings-editor .suggest-input-container').click();
      await page.keyboard.press('Control+A'); // an editor that is still being drawn loses letters
      await page.keyboard.type('@ext:vouch-sidecar.vouch-sidecar');
      return ours.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    }, 'our settings', 40_000);
    await page.waitForTimeout(500);
  });
}

const TYPED = '\n\nPriya Raman asks: can INC-118 come back with eight instances?';

/** Makes the side bar wider. */
async function widen(page, by) {
  const { x, width, y } = await page.locator('.part.sidebar').boundingBox();
  await page.mouse.move(x + width + 1, y + 300);
  await page.mouse.down();
  await page.mouse.move(x + width + 1 + by, y + 300, { steps: 5 });
  await page.mouse.up();
}
