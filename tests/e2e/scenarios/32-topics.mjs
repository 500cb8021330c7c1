// A knowledge base without entities: topics are completed, hidden and brought back; what is tied to a folder.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { courier, machineSettings, until } from '../settings.mjs';

export const options = () => ({
  machineSettings,
  fill(folder) {
    courier(folder);
    fs.rmSync(path.join(folder, '.vouch/entities'), { recursive: true });
    const at = (name) => path.join(folder, name);
    for (const name of ['left', 'right']) fs.writeFileSync(at(`src/${name}.py`), 'ORDER = 1\n');
    const claim = fs.readFileSync(at('.vouch/claims/lag-pages.yaml'), 'utf8');
    const text = '`src/left.py` and `src/right.py` keep the order of scans alike.';
    const both = claim
      .replace(/^id: .*/m, 'id: order-alike')
      .replace(/^text: (.|\n)*?(?=^type:)/m, `text: "${text}"\n`);
    fs.writeFileSync(at('.vouch/claims/order-alike.yaml'), both);
  },
});

export async function run({ w, test }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');
  const proposal = (text) => page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  const never = () => JSON.parse(fs.readFileSync(w.settingsFile, 'utf8'))['vouchSidecar.names.never'];
  const hide = async (row) => {
    await w.settled(row);
    const label = await row.getAttribute('aria-label'); // the list uses the element for others later
    await row.hover();
    await row.getByRole('button', { name: 'Hide This Topic' }).click();
    const left = page.locator(`.part.sidebar .monaco-list-row[aria-label="${label}"]`);
    await left.waitFor({ state: 'detached', timeout: 5_000 });
  };
  const undo = page.locator('.notification-toast', { hasText: 'Hidden' }).getByRole('button', { name: 'Undo' });

  await test('a topic is completed while it is typed', async () => {
    await w.panel();
    await sidebar.getByText(/Nothing in play\. \d+ topics/).waitFor();
    await w.row('In Play', 'Find Experts').click();
    await page.locator('.quick-input-widget input').first().fill('durab');
    await proposal('durability').waitFor();
    await page.keyboard.press('Escape');
  });

  await test('a topic that is hidden is gone at once, until that is undone', async () => {
    await w.command('Vouch: Find Experts');
    await w.answer('Relay');
    const topic = w.row('Experts', 'durability');
    await w.settled(topic);
    await hide(topic);
    assert.deepEqual(never(), ['durability']);
    assert.ok(!fs.existsSync(path.join(w.folder, '.vscode')), 'the workspace has settings');
    await undo.click();
    await topic.waitFor();
    assert.equal(never(), undefined);
  });

  await test('one in play is gone at once too', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nWhat does durability mean for the events of a scan?');
    const topic = w.row('In Play', 'events');
    await w.settled(topic);
    await hide(topic);
    await undo.click();
    await topic.waitFor();
  });

  await test('so is one behind the first three, and one that is open', async () => {
    await page.keyboard.type('\n\nDo lockers, proof of delivery and INC-118 emit events?');
    const rows = w.rows('In Play').filter({ hasText: 'topic ·' });
    await until(async () => (await rows.count()) >= 4, 'four topics are in play');
    await hide(rows.nth(3));
    await undo.click();
    await until(async () => (await rows.count()) >= 4, 'it is back');
    await w.unfold(rows.first());
    const name = (await rows.first().innerText()).split('topic')[0].trim();
    await hide(w.row('In Play', name).filter({ hasText: 'topic ·' }));
    await undo.click();
    await w.rows('In Play', name).filter({ hasText: 'topic ·' }).waitFor();
  });

  await test('a claim on several files of a folder is listed once, with these files', async () => {
    await w.openFile('left.py');
    await w.row('In This File', 'keep the order of scans alike').waitFor();
    await w.command('Vouch: Show Claims on This Folder');
    const claim = proposal('keep the order of scans alike');
    await claim.filter({ hasText: 'left.py, right.py' }).waitFor();
    assert.equal(await claim.count(), 1);
    await page.keyboard.press('Escape');
  });
}
