// "In this file" shows the claims on a file, the one at the caret marked; "Claim" shows it in full.
// In files below .vouch/ ids are explained, and completed in pages; problems across files.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { courier, machineSettings } from '../settings.mjs';

const HOSTILE =
  '`UploadLoop` <img src=x onerror=alert(1)> <script>alert(1)</script> [run](command:workbench.action.quit) ' +
  '\u202egnp.exe\u2066 &lt;b&gt; javascript:alert(1) https://x.test';
const CODE = `import os


class UploadLoop:
    limit = 3


def retry_loop():
    """Tries again."""
    wait = 4
`;

export const options = () => ({
  machineSettings,
  fill(folder) {
    courier(folder);
    const at = (name) => path.join(folder, name);
    fs.writeFileSync(at('src/upload.py'), CODE);
    fs.writeFileSync(at('docs/plain.md'), 'Nothing in particular.\n');
    const claim = fs.readFileSync(at('.vouch/claims/lag-pages.yaml'), 'utf8');
    const quoting = at('.vouch/evidence/ev-793f6916cdba109b.yaml'); // L7 of the runbook
    const quote = fs.readFileSync(quoting, 'utf8');
    const dead = quote.replace('320', '192').replace('364', '228').replace('793f', 'dead');
    fs.writeFileSync(quoting.replace('793f', 'dead'), dead.replace(/^quote: .*/m, 'quote: null'));
    const put = (id, text, evidence = '$&') =>
      fs.writeFileSync(
        at(`.vouch/claims/${id}.yaml`),
        claim
          .replace(/^id: .*/m, `id: ${id}`)
          .replace(/^evidence:\n- .*/m, evidence)
          .replace(/^text: (.|\n)*?(?=^type:)/m, `text: ${JSON.stringify(text)}\n`)
          .replace(/^entities:\n(- .*\n)+/m, 'entities: []\n'),
      );
    put('hostile', HOSTILE);
    put('retry', '`retry_loop` waits longer each time.');
    put('letters', 'Letters die of one cause.', 'evidence:\n- ev-dead6916cdba109b');
  },
});

export async function run({ w, test }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');
  const named = (text) => w.row('In This File', text);
  const claim = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame').locator('body');
  const shows = (text) => claim.locator('p', { hasText: text }).waitFor();
  const line = (label) => claim.locator(`dt:has-text("${label}") + dd`).first();
  const shown = (has) => page.locator('.editor-instance .view-line', { hasText: has }).first();
  const badge = page.locator('.activitybar').getByRole('tab', { name: /1 claim .*quote is gone/ });
  const caretTo = async (number) => {
    await page.keyboard.press('Control+G');
    await page.locator('.quick-input-widget input').first().fill(`:${number}`);
    await page.keyboard.press('Enter');
    await page.locator('.part.statusbar', { hasText: `Ln ${number},` }).waitFor();
  };
  const status = async (entry) => {
    await w.status.click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: entry }).first().click();
  };

  await test('opening a file lists the claims on it, each at its line; without a broken quote no badge', async () => {
    await page.setViewportSize({ width: 1280, height: 1300 });
    await w.panel();
    await shows('Select a claim');
    await w.openFile('INC-118.md');
    await named('INC-118 had two causes').waitFor();
    await named('Never restart Relay').waitFor();
    assert.equal(await badge.count(), 0);
    await w.tooltip(named('INC-118 had two causes'), 'quotes L13');
  });

  await test('a quote that the file no longer has is counted in the badge', async () => {
    await w.openFile('runbook.md');
    await named('dlq show --last 50').waitFor();
    const file = path.join(w.folder, 'docs/runbook.md');
    const text = fs.readFileSync(file, 'utf8');
    const quoteGoesAndComes = async () => {
      fs.writeFileSync(file, text.replace('a replay of bad events fills the queue again', 'it takes a minute'));
      await badge.waitFor();
      fs.writeFileSync(file, text);
      await badge.waitFor({ state: 'detached' });
    };
    await quoteGoesAndComes();
    await shown('fills the queue again').waitFor();
    await page.keyboard.type(' ');
    await quoteGoesAndComes(); // what is typed and not saved keeps the editor from reading it
    await page.keyboard.press('Backspace');
  });

  await test('a save tells that a quote is gone; its claim is shown where it is clicked, whatever is near', async () => {
    await caretTo(7);
    await page.keyboard.press('End');
    for (const _ of ' again.') await page.keyboard.press('Backspace');
    await shows('dead-letter queue');
    await page.keyboard.press('Control+S');
    await badge.waitFor();
    await line('Status').filter({ hasText: 'quote gone' }).waitFor();
    await caretTo(10);
    const row = named('Look at the dead-letter queue').filter({ hasText: 'stale' });
    await w.click(row);
    await page.locator('.part.statusbar', { hasText: 'Ln 7,' }).waitFor();
    await row.filter({ hasText: 'at the caret' }).waitFor();
    await shows('dead-letter queue');
    await page.keyboard.press('ArrowUp');
    await shows('Letters die');
    await w.click(named('Consumer lag')); // it cites the whole file
    await shows('Consumer lag');
    await caretTo(7);
    await row.filter({ hasText: 'at the caret' }).waitFor();
    await shows('dead-letter queue');
    await page.keyboard.press('End');
    await page.keyboard.type(' again.');
    await page.keyboard.press('Control+S');
    await badge.waitFor({ state: 'detached' });
  });

  await test('the claim at the caret is marked, and shown in full', async () => {
    await w.openFile('upload.py');
    await caretTo(8);
    await named('L8 · retry_loop').filter({ hasText: 'at the caret' }).waitFor();
    await shows('retry_loop waits longer');
    await caretTo(4);
    await named('L4 · UploadLoop').filter({ hasText: 'at the caret' }).waitFor();
    await shows('onerror');
  });

  await test('a hostile claim is plain text', async () => {
    const said = await claim.locator('p').innerText();
    assert.ok(said.includes('<img src=x onerror=alert(1)> <script>alert(1)</script> [run](command:'), said);
    assert.doesNotMatch(said, /[\u202a-\u202e\u2066-\u2069]/);
    assert.equal(await claim.locator('p').locator('img, script, a, b, style, iframe').count(), 0);
    assert.equal(await claim.locator('code').innerText(), 'UploadLoop');
    const policy = await claim.locator('xpath=..').locator('meta[http-equiv]').getAttribute('content');
    assert.match(policy, /^default-src 'none'; style-src 'nonce-[^']+'$/);
  });

  await test('a row is read, and goes to its line where it is clicked', async () => {
    await w.openFile('runbook.md');
    const row = named('L7');
    await w.click(row);
    await page.locator('.part.statusbar', { hasText: /Ln 7,/ }).waitFor();
    await shows('dead-letter queue');
    assert.match(await line('Approved by').innerText(), /reviewer/);
    assert.match(await line('Status').innerText(), /confidence 0\.\d\d · 20\d\d-\d\d-\d\d/);
    assert.match(await line('Ask').innerText(), /claim/);
  });

  await test('its source is a link to the quoted line, its file another; the list stays', async () => {
    await line('File').locator('a').click();
    await page.locator('.tab.active', { hasText: '.yaml' }).waitFor();
    await named('L7').waitFor();
    await line('Source').locator('a').click();
    await w.activeTab('runbook.md');
  });

  await test('an identifier that a claim is tied to says so; a file without claims says that', async () => {
    await w.openFile('upload.py');
    await shows('onerror'); // the one at the caret there
    assert.match(await w.hover('retry_loop', 'waits longer'), /names retry_loop/);
    await page.keyboard.press('Escape');
    await w.openFile('plain.md');
    await named('No claim is about this file').waitFor();
  });

  await test('a pause takes out what is in play; it comes back', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nMay we restart Relay?');
    await w.row('In Play', 'Relay').waitFor();
    await status('Pause for an Hour');
    await sidebar.getByText('Paused: hooks, hover').waitFor();
    await w.row('In Play', 'Relay').waitFor({ state: 'detached' });
    await w.status.filter({ hasText: 'Vouch: paused' }).waitFor();
    await sidebar.getByRole('button', { name: 'Resume' }).click();
    await w.row('In Play', 'Relay').waitFor();
  });

  await test('hover on an id says what it names', async () => {
    await w.openFile('tracker-reads-topic.yaml');
    await shown('- dispatch').waitFor();
    assert.match(await w.hover('parcel-events', 'live claims'), /parcel_events/);
  });

  await test('an id that names nothing is a problem, before it is saved', async () => {
    await page.keyboard.press('Escape');
    await shown('- dispatch').click();
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
