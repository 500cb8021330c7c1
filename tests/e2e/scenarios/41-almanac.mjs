// A small knowledge base without entities, as `vouch ingest` makes it: what a new user sees of it.
import fs from 'node:fs';
import path from 'node:path';
import { pictures } from '../pictures.mjs';
import { machineSettings } from '../settings.mjs';
import { PROJECT } from '../workbench.mjs';

export const options = () => ({
  machineSettings,
  fill: (folder) => fs.cpSync(path.join(PROJECT, 'examples/almanac'), folder, { recursive: true }),
});

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');

  await test('nothing in play: what there is, and what can be done', async () => {
    await page.setViewportSize({ width: 1280, height: 960 }); // room for the views
    await w.panel();
    await sidebar.getByText(/Nothing in play\. \d+ topics, 21 claims\./).waitFor();
    await w.row('In Play', 'Find Experts').waitFor();
  });

  await test('the claims on a file are there as it is opened', async () => {
    await w.openFile('tides.py');
    await w.row('In This File', 'TideTable').waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'class TideTable' }).click();
    await page.waitForTimeout(1_000); // the claim at the caret
    await pictures(w, artifacts, 'almanac');
  });

  await test('where nobody carries evidence, what a search finds is shown, and what is not known', async () => {
    await w.command('Vouch: Find Experts');
    await w.answer('silent frobnicator');
    await sidebar.getByText('Nobody carries evidence on “silent frobnicator” · “frobnicator” not known here').waitFor();
    await w.row('Experts', 'silent for six hours').click();
    await page.locator('.tab.active', { hasText: '.yaml' }).waitFor();
    await page.locator('.part.statusbar', { hasText: /Ln 2, Col \d\d+ \(\d\d+ selected\)/ }).waitFor(); // its text
    await pictures(w, artifacts, 'found');
  });

  await test('where a search finds nothing either, that is said, and another question offered', async () => {
    await w.command('Vouch: Find Experts');
    await w.answer('frobnicator');
    await sidebar.getByText('Nobody carries evidence on “frobnicator” · “frobnicator” not known here').waitFor();
    await w.row('Experts', 'A search finds nothing either').waitFor();
    await w.row('Experts', 'Find Experts').click();
    await page.locator('.quick-input-widget input').first().waitFor();
    await page.keyboard.press('Escape');
  });
}
