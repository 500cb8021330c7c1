// Experts: people first, the topic as the headline, the filter in the title, proposals while asking.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { switchTo, THEMES } from '../pictures.mjs';
import { courier, machineSettings, until } from '../settings.mjs';


export const options = () => ({ fill: courier, machineSettings });

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');
  const input = page.locator('.quick-input-widget input').first();
  const proposal = (text) => page.locator('.quick-input-list .monaco-list-row', { hasText: text });

  await test('people come first, the topic is the headline', async () => {
    await page.setViewportSize({ width: 1280, height: 1500 }); // room for all groups
    await w.panel();
    await sidebar.getByText('Nothing in play').waitFor();
    await w.command('Vouch: Find Experts');
    await w.answer('Relay');
    await sidebar.getByText('Relay · system · 17 claims · by weight of evidence').waitFor();
    await w.row('Experts', 'Tomasz Wróbel').waitFor();
    const rows = (await w.rows('Experts').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    assert.match(rows[0], /^People/);
    assert.match(rows[1], /^\d+ Tomasz Wróbel/);
    assert.ok(rows.some((row) => row.startsWith('Systems and topics')), rows.join('\n'));
    assert.ok(!rows.some((row) => /^\d+ Relay/.test(row)), rows.join('\n'));
  });

  await test('the filter stands in the title; a new question drops it', async () => {
    await w.row('Experts', 'Tomasz Wróbel').hover();
    await sidebar.getByRole('button', { name: 'Filter Experts' }).first().click();
    await proposal('person').click();
    await sidebar.locator('.pane-header', { hasText: 'only person' }).waitFor();
    await w.command('Vouch: Find Experts');
    await w.answer('PostGIS');
    await sidebar.locator('.pane-header', { hasText: 'only person' }).waitFor({ state: 'detached' });
    await w.row('Experts', 'Systems and topics').waitFor();
  });

  await test('the word under the caret and the names of entities are proposed', async () => {
    await w.openFile('runbook.md');
    await page.locator('.editor-instance .view-line', { hasText: 'Dead letters' }).click();
    await page.keyboard.press('Home');
    await w.command('Vouch: Find Experts');
    await proposal('at the cursor').filter({ hasText: 'Dead' }).waitFor();
    await input.fill('rate');
    await proposal('rate limiter').waitFor();
    await input.fill('toma'); // half of a word
    await proposal('Tomasz Wróbel').waitFor();
    await w.picture(path.join(artifacts, '51-experts-proposals.png'));
    await page.keyboard.press('Escape');
  });

  await test("the editor's context menu asks for the word", async () => {
    await w.pointAt('Relay');
    await page.mouse.down({ button: 'right' });
    await page.mouse.up({ button: 'right' });
    await w.fromMenu('Find Experts on This Word');
    await sidebar.getByText('Relay · system · 17 claims').waitFor();
  });

  await test('another question begins at its top', async () => {
    await page.setViewportSize({ width: 1280, height: 700 });
    const second = w.rows('Experts').and(page.locator('[data-index="1"][aria-level="2"]'));
    await second.hover();
    // The list takes the smaller height a moment later; until then nothing can be scrolled.
    await until(async () => {
      await page.mouse.wheel(0, 2_000);
      return (await second.count()) === 0;
    }, 'its top is scrolled away');
    await w.command('Vouch: Find Experts');
    await w.answer('parcel_events');
    await sidebar.getByText('parcel_events · api').waitFor();
    await second.waitFor();
    await page.setViewportSize({ width: 1280, height: 1500 });
    await w.command('Vouch: Find Experts');
    await w.answer('Relay');
    await sidebar.getByText('Relay · system · 17 claims').waitFor();
  });

  await test('the question is asked again when the knowledge base is back', async () => {
    const [here, away] = ['.vouch', '.away'].map((name) => path.join(w.folder, name));
    fs.renameSync(here, away);
    await w.command('Vouch: Restart Server');
    await sidebar.getByText('No knowledge base here').waitFor();
    assert.equal(await w.rows('Experts').count(), 0);
    assert.equal(await w.status.count(), 0);
    fs.renameSync(away, here);
    await w.command('Vouch: Restart Server');
    await sidebar.getByText('Relay · system · 17 claims').waitFor();
    await w.status.waitFor();
  });

  for (const name of Object.keys(THEMES)) {
    await test(`the experts in ${name}`, async () => {
      await switchTo(w, name);
      await page.waitForTimeout(500);
      await w.picture(path.join(artifacts, `51-experts-${name}.png`));
    });
  }

  await test('the experts at 900×600 and at 200 %', async () => {
    await page.setViewportSize({ width: 900, height: 600 });
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '51-experts-900x600.png'));
    await page.setViewportSize({ width: 640, height: 400 }); // 1280×800 at 200 %
    await sidebar.locator('.pane-header', { hasText: 'In This File' }).click();
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '51-experts-200-percent.png'));
  });
}
