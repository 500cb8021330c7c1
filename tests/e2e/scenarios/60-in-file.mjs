// "In this file" shows the claims on a file and what it names; "Explain" shows the figures behind it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { switchTo, THEMES } from '../pictures.mjs';
import { courier, machineSettings, until } from '../settings.mjs';

const GAP = 'Nothing is named on this line.\n'.repeat(120);

export const options = () => ({
  machineSettings,
  fill(folder) {
    courier(folder);
    fs.writeFileSync(path.join(folder, 'long.md'), `Relay comes first.\n\n${GAP}\nKafka comes last.\n`);
    const at = (name) => path.join(folder, name);
    fs.writeFileSync(at('src/upload.py'), 'import os\n\n\nclass UploadLoop:\n    limit = 3\n');
    fs.writeFileSync(at('docs/plain.md'), 'Nothing in particular.\n');
    const claim = fs.readFileSync(at('.vouch/claims/lag-pages.yaml'), 'utf8');
    const text = '`UploadLoop` gives up after three tries, so that a handheld keeps its queue.';
    const named = claim
      .replace(/^id: .*/m, 'id: upload-gives-up')
      .replace(/^text: (.|\n)*?(?=^type:)/m, `text: "${text}"\n`)
      .replace(/^entities:\n(- .*\n)+/m, 'entities: []\n');
    fs.writeFileSync(at('.vouch/claims/upload-gives-up.yaml'), named);
  },
});

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');
  const named = (text) => w.row('In This File', text);
  const names = async () =>
    (await w.rows('In This File').and(page.locator('[aria-level="1"]')).allInnerTexts()).map((text) => text.trim());

  await test('opening a file shows what it names', async () => {
    await w.panel();
    await sidebar.getByText('Nothing in play').waitFor();
    await page.setViewportSize({ width: 1280, height: 1700 });
    await w.openFile('notes.txt');
    for (const name of ['Tomasz Wróbel', 'Relay', 'dead-letter queue', 'Mei Tanaka', '東京ハブ', 'Delivery Tracker', 'Dispatch team', 'proof of delivery']) {
      await named(name).waitFor();
    }
    assert.ok((await names()).length >= 8);
    await sidebar.getByText('Nothing in play').waitFor(); // reading is no typing
  });

  await test('opening a file lists the claims on it, and says how many', async () => {
    await w.openFile('INC-118.md');
    await named('INC-118 had two causes').waitFor();
    await named('Never restart Relay').waitFor();
    await page.locator('.part.activitybar .badge:visible', { hasText: '4' }).waitFor();
    await w.tooltip(named('INC-118 had two causes'), 'quotes L13');
    await page.mouse.move(900, 700);
    await page.waitForTimeout(700);
    await w.picture(path.join(artifacts, '60-in-file-claims.png'));
  });

  await test('a claim is dismissed in this file, and brought back', async () => {
    await w.openFile('runbook.md');
    await named('dlq show --last 50').hover();
    await named('dlq show --last 50').getByRole('button', { name: 'Dismiss in This File' }).click();
    await named('dlq show --last 50').waitFor({ state: 'detached' });
    await named('1 dismissed').click();
    await named('dlq show --last 50').waitFor();
  });

  const status = async (entry) => {
    await w.status.click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: entry }).first().click();
  };

  await test('the status pauses what is said unasked, and resumes it', async () => {
    await status('Pause for an Hour');
    await sidebar.getByText('Paused until').waitFor();
    await w.status.filter({ hasText: 'Vouch: paused' }).waitFor();
    await w.picture(path.join(artifacts, '60-in-file-paused.png'));
    await w.row('In Play', 'Resume').click();
    await sidebar.getByText('Paused until').waitFor({ state: 'detached' });
    await status('Pause');
    await sidebar.getByText('Paused until').waitFor();
    await status('Resume');
    await sidebar.getByText('Paused until').waitFor({ state: 'detached' });
  });

  await test('an identifier that a claim is tied to says so', async () => {
    await w.openFile('upload.py');
    await named('gives up after three tries').waitFor();
    assert.match(await w.hover('UploadLoop', 'gives up after three tries'), /names UploadLoop/);
    await w.picture(path.join(artifacts, '60-in-file-hover.png'));
    await page.keyboard.press('Escape');
  });

  await test('a file without claims says so, and offers those of its folder', async () => {
    await w.openFile('plain.md');
    await named('No claim is about this file').waitFor();
    await page.mouse.move(900, 700);
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '60-in-file-empty.png'));
    await named('Show Claims on This Folder').click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Consumer lag above 60 seconds' }).waitFor();
    await page.keyboard.press('Escape');
  });

  await test('scrolling shows what is in sight; what is unfolded stays', async () => {
    await w.openFile('long.md');
    await named('Tomasz Wróbel').waitFor({ state: 'detached' }); // the rows of the file before
    await named('Relay').waitFor();
    assert.equal((await names()).length, 1);
    await w.expand('In This File', 'Relay');
    await w.rows('In This File').and(page.locator('[aria-level="2"]')).first().waitFor();
    const before = (await named('Relay').boundingBox()).y;
    await w.toEnd();
    await named('Kafka').waitFor();
    await named('no longer in sight').waitFor();
    assert.equal((await named('Relay').boundingBox()).y, before);
  });

  await test('a row is explained, with its figures', async () => {
    await named('Kafka').click({ button: 'right' });
    await w.fromMenu('Explain');
    await w.activeTab('Explain');
    await page.locator('.editor-instance .view-line', { hasText: 'Kafka comes last' }).waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'specificity' }).first().waitFor();
  });

  await test('why something is in play is said in words, the figures by Explain', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nMay we restart Relay?');
    await w.expand('In Play', 'Relay');
    const why = w.row('In Play', '“Relay”');
    assert.doesNotMatch(await w.tooltip(why, 'In play because of'), /×/);
    await w.settled(why);
    await why.getByRole('button', { name: 'Explain' }).click();
    await w.activeTab('Explain');
    await page.locator('.editor-instance .view-line', { hasText: 'Relay is in play' }).waitFor();
  });

  await test('a pause takes out what is in play, though it is open; it comes back', async () => {
    await status('Pause for an Hour');
    await sidebar.getByText('Paused until').waitFor();
    await w.row('In Play', 'Relay').waitFor({ state: 'detached' });
    await w.row('In Play', 'Resume').click();
    await w.row('In Play', 'Relay').waitFor();
  });

  await test('an expert is explained', async () => {
    await w.command('Vouch: Find Experts');
    await w.answer('rate limiter');
    await w.row('Experts', 'INC-118').click({ button: 'right' });
    await page.waitForTimeout(500); // a menu takes no click while it opens
    await w.fromMenu('Explain');
    await page.locator('.editor-instance .view-line', { hasText: 'INC-118 on “rate limiter”' }).waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'sum × focus' }).first().waitFor();
  });

  for (const name of Object.keys(THEMES)) {
    await test(`the panel in ${name}`, async () => {
      await w.openFile('notes.txt');
      await switchTo(w, name);
      await named('Mei Tanaka').waitFor();
      await page.waitForTimeout(500);
      await w.picture(path.join(artifacts, `60-in-file-${name}.png`));
    });
  }

  for (const name of Object.keys(THEMES)) {
    await test(`what is no longer in sight is legible in ${name}`, async () => {
      await switchTo(w, name);
      await w.openFile('long.md');
      await w.toEnd();
      await named('no longer in sight').waitFor();
      await page.mouse.move(900, 700);
      await page.waitForTimeout(500);
      for (const part of ['.label-name', '.label-description']) {
        const contrast = await named('no longer in sight').locator(part).first().evaluate(contrastOf);
        assert.ok(contrast >= 4.5, `${part}: ${contrast}`);
      }
    });
  }

  await test('the panel at 900×600 and at 200 %', async () => {
    await page.setViewportSize({ width: 900, height: 600 });
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '60-in-file-900x600.png'));
    await page.setViewportSize({ width: 640, height: 400 }); // 1280×800 at 200 %
    await page.waitForTimeout(500);
    await w.picture(path.join(artifacts, '60-in-file-200-percent.png'));
  });
}

/** How a text stands out against what is behind it, as WCAG counts it. */
function contrastOf(element) {
  const numbers = (color) => [...(/\(([^)]*)\)/.exec(color)?.[1] ?? '').matchAll(/[\d.]+/g)].map(Number);
  let [r, g, b, alpha = 1] = numbers(getComputedStyle(element).color);
  let behind;
  for (let at = element; at; at = at.parentElement) {
    const style = getComputedStyle(at);
    const color = numbers(style.backgroundColor);
    if (!behind && color.length >= 3 && (color[3] ?? 1) > 0.5) behind = color;
    if (!behind) alpha *= Number(style.opacity);
  }
  const light = (rgb) => {
    const [x, y, z] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const mixed = [r, g, b].map((v, at) => v * alpha + behind[at] * (1 - alpha));
  const [dark, bright] = [light(mixed), light(behind.slice(0, 3))].sort((a, c) => a - c);
  return (bright + 0.05) / (dark + 0.05);
}
