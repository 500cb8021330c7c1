// Files below .vouch/: ids are explained, and completed in pages; problems across files.
import assert from 'node:assert/strict';
import { courier, machineSettings } from '../settings.mjs';

export const options = () => ({
  fill: courier,
  machineSettings,
});

export async function run({ w, test }) {
  const { page } = w;
  const line = (text) => page.locator('.editor-instance .view-line', { hasText: text }).first();

  await test('hover on an id says what it names', async () => {
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await w.openFile('tracker-reads-topic.yaml');
    await line('- dispatch').waitFor();
    assert.match(await w.hover('parcel-events', 'live claims'), /parcel_events/);
  });

  await test('hover on a hash says which source it is', async () => {
    await page.keyboard.press('Escape');
    const hash = '97bfa8cc2da68cfdae0261d38ada4fd351cb998c610239fc1206da8c4ca5b55b';
    assert.match(await w.hover(hash, 'source · file'), /RFC 014/);
  });

  await test('an id that names nothing is a problem, before it is saved', async () => {
    await page.keyboard.press('Escape');
    await line('- dispatch').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- label-nothing');
    await page.keyboard.press('Escape');
    await page.locator('.squiggly-warning').first().waitFor();
    assert.match(await w.hover('label-nothing', 'names no entity'), /dangling-entity/);
  });

  await test('ids are completed in pages', async () => {
    await page.keyboard.press('Escape');
    await w.openFile('glossary.md');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('See [[label');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'label-forge' }).waitFor();
  });
}
