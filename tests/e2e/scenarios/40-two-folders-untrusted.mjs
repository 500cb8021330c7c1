// Two knowledge bases in a window without trust: each keeps its own, and every row says whose it is. Nothing
// from the workspace is run, what is named outside of it works.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { courier, SIDECAR } from '../settings.mjs';

let ran;

export const options = () => ({
  trust: false,
  userSettings: {
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
  },
  fill(folder) {
    const [here, there] = [path.join(folder, 'courier'), path.join(folder, 'billing')];
    courier(here);
    billing(there);
    ran = path.join(folder, 'ran');
    const evil = path.join(here, 'bin/vouch-sidecar');
    fs.mkdirSync(path.dirname(evil));
    fs.writeFileSync(evil, `#!/bin/sh\ntouch "${ran}"\n`, { mode: 0o755 });
    const file = path.join(folder, 'both.code-workspace');
    const settings = { 'vouchSidecar.path': evil };
    fs.writeFileSync(file, JSON.stringify({ folders: [{ path: 'courier' }, { path: 'billing' }], settings }));
    return file;
  },
  // The workspace's own folder is on the PATH, before the real one.
  env: { PATH: `bin:./bin:${path.dirname(SIDECAR)}:${process.env.PATH}` },
});

/** A knowledge base whose entity "relay" is another one than the courier's. */
function billing(folder) {
  const write = (name, lines) => {
    const file = path.join(folder, '.vouch', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${lines.join('\n')}\n`);
  };
  write('config.yaml', ['version: 1', 'kb:', '  id: billing', '  name: billing']);
  write('entities/relay.yaml', ['id: relay', 'name: Relay', 'type: system']);
  write('claims/relay-charges.yaml', [
    'id: relay-charges',
    'text: Relay charges a card once for every invoice.',
    'type: decision',
    'status: stable',
    'confidence: 0.9',
    "evidence: ['0000000000000000000000000000000000000000000000000000000000000000']",
    'entities: [relay]',
    "updated_at: '2026-05-01T10:00:00Z'",
  ]);
  fs.writeFileSync(path.join(folder, 'invoice.py'), '# Relay is asked once.\n');
}

export async function run({ w, test }) {
  const { page } = w;

  await test('works with the server from outside, and runs nothing from inside', async () => {
    await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await w.panel();
    await page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await w.openFile('rate_limiter.py');
    assert.match(await w.hover('Relay', 'live claim'), /Relay/);
    assert.ok(!fs.existsSync(ran), 'a program of the workspace was run');
  });

  await test('a name in both shows both, each under its collection', async () => {
    await page.keyboard.press('Escape');
    await w.openFile('invoice.py');
    await w.toEnd();
    await page.keyboard.type('# Why does Relay answer twice?');
    await w.row('In Play', /Relay.*courier/).waitFor();
    await w.row('In Play', /Relay.*billing/).waitFor();
  });

  await test('the claims beneath are those of the right one', async () => {
    await w.row('In Play', 'charges a card once').waitFor();
    await w.click(w.row('In Play', 'charges a card once'));
    await w.activeTab('relay-charges.yaml');
  });

  await test('one that a shell paused is named, and resumed from the status', async () => {
    const isPartly = w.status.filter({ hasText: 'Vouch: partly paused' });
    execFileSync(SIDECAR, ['pause'], { cwd: path.join(w.folder, 'courier'), env: w.env });
    await isPartly.waitFor();
    await page.locator('.statusbar-item[aria-label*="Paused: courier"]').waitFor();
    await w.status.click();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'Pause for an Hour' }).waitFor();
    await rows.filter({ hasText: /Resume.*until it is resumed/s }).click();
    await isPartly.waitFor({ state: 'detached' });
  });

  await test('a letter at the caret is no topic', async () => {
    await w.openFile('invoice.py');
    await w.toEnd();
    await page.keyboard.type(' s');
    await w.command('Vouch: Find Experts');
    const input = page.locator('.quick-input-widget input').first();
    await page.locator('.quick-input-widget', { hasText: 'A topic: words or a name' }).waitFor();
    assert.equal(await input.inputValue(), '');
    await page.keyboard.press('Escape');
  });

  await test('experts name their collection', async () => {
    await page.setViewportSize({ width: 1280, height: 1100 }); // room for all groups
    const topics = { invoice: 'billing', relay: 'courier' };
    for (const [topic, collection] of Object.entries(topics)) {
      await w.command('Vouch: Find Experts');
      await w.answer(topic);
      await w.row('Experts', new RegExp(`Relay.*${collection}`)).waitFor();
    }
  });
}
