// A small knowledge base without entities, as `vouch ingest` makes it: what a new user sees of it.
import fs from 'node:fs';
import path from 'node:path';
import { machineSettings } from '../settings.mjs';
import { pictures } from '../themes.mjs';
import { PROJECT } from '../workbench.mjs';

export const options = () => ({
  machineSettings,
  fill: (folder) => fs.cpSync(path.join(PROJECT, 'examples/almanac'), folder, { recursive: true }),
});

export async function run({ w, test, artifacts }) {
  const { page } = w;

  await test('the claims on a file are there as it is opened', async () => {
    await page.setViewportSize({ width: 1280, height: 960 }); // room for the views
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await w.openFile('tides.py');
    await w.row('In This File', 'TideTable').waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'class TideTable' }).click();
    const claim = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    await claim.getByText('keeps every height').first().waitFor(); // that at the caret
    await pictures(w, artifacts, 'almanac');
  });
}
