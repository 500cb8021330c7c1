// The example of this repository, looked at the way somebody works with it all day.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { sidecars } from '../processes.mjs';
import { courier, SIDECAR, until, vouch } from '../settings.mjs';

const LETTER_MS = 400; // longer than a half-typed word waits to count
const CODE = 'Relay {\n  color: red; /* Kafka keeps it */\n}\n';
const HOSTILE =
  '<img src=x onerror=alert(1)> ![a](https://x.test/y.png) [run](command:workbench.action.quit) **b** `c` https://x.test $(flame)';
const ENTITY = `id: evilgate
name: Evilgate
type: system
description: ${JSON.stringify(HOSTILE)}
`;
/** A server that does not begin while there is a file `hold` beside it. */
const SERVER = `#!/bin/sh\nwhile [ -e ~/hold ]; do sleep 0.1; done\nexec '${SIDECAR}' "$@"\n`;

export const options = () => ({
  machineSettings: { 'vouchSidecar.path': '~/vouch-sidecar' },
  fill(folder) {
    courier(folder);
    const home = path.join(folder, '../home');
    fs.mkdirSync(home);
    fs.writeFileSync(path.join(home, 'vouch-sidecar'), SERVER, { mode: 0o755 });
    fs.writeFileSync(path.join(folder, 'use.css'), CODE);
    fs.writeFileSync(path.join(folder, 'hostile.md'), 'Evilgate is near.\n');
    fs.writeFileSync(path.join(folder, '.vouch/entities/evilgate.yaml'), ENTITY);
  },
});

/** It kills servers. */
export const faults =
  /SIGKILL|create connection|connection to server is erroring|Sending request failed|(Stopping|Restarting) server failed|keeps ending|did not stop in time|crashed 5 times/;

export async function run({ w, test, measured }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');
  const popup = page.locator('.monaco-hover:visible');
  /** An entity of this window. */
  const entity = (text) => w.rows('In Play', text).and(page.locator('[aria-level="1"]')).first();

  /** Milliseconds from the last key to the row, by the page's own clock: "waitFor" looks twice a second. */
  const sinceLastKey = (text) =>
    page.evaluate((text) => {
      let pressed = 0;
      document.addEventListener('keydown', ({ timeStamp }) => (pressed = timeStamp), true);
      const rows = document.getElementsByClassName('monaco-list-row');
      const isDrawn = (row) => row.ariaLevel === '1' && row.innerText.includes(text);
      return new Promise((resolve) =>
        new MutationObserver((_, observer) => {
          if (![...rows].some(isDrawn)) return;
          observer.disconnect();
          resolve(Math.round(performance.now() - pressed));
        }).observe(document.body, { childList: true, subtree: true }),
      );
    }, text);

  await page.setViewportSize({ width: 1280, height: 1900 }); // only the rows in sight exist

  await test('starts, and says what will come where nothing is in play', async () => {
    await w.panel();
    await sidebar.getByText('Nothing in play. What you write about').waitFor();
  });

  await test('a sentence brings an entity into the panel, with what is claimed of it below', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    const took = [];
    for (const name of ['ETA model', 'cut-off time', 'Label Forge']) {
      const drawn = sinceLastKey(name);
      await page.keyboard.type(`\nWhat about the ${name}`);
      took.push(await drawn);
      await entity(name).waitFor();
    }
    const first = w.rows('In Play').first();
    await until(async () => /Label Forge/.test(await first.innerText()), 'what is new stands first');
    const claim = w.rows('In Play').nth(1);
    assert.equal(await claim.getAttribute('aria-level'), '2');
    assert.match(await w.tooltip(claim, 'confidence'), /(stable|working|actionable) · confidence 0\.\d\d · 20\d\d-/);
    assert.match(await w.tooltip(first, 'names'), /“Label Forge” names “Label Forge”/);
    return `${took.join(', ')} ms after the last key`;
  });
  measured();

  await test('a claim opens the document that it quotes, its button the file of the claim', async () => {
    await w.settled(w.rows('In Play').nth(1));
    const said = await w.rows('In Play').nth(1).innerText();
    const claim = w.row('In Play', said.trim());
    await claim.click();
    await page.locator('.tab.active', { hasNotText: 'notes.txt' }).waitFor();
    await claim.hover();
    await claim.getByRole('button', { name: 'Open Claim' }).click();
    await page.locator('.tab.active', { hasText: '.yaml' }).waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'text:' }).first().waitFor();
  });

  await test('a hover says what it is, whom to ask and what is known', async () => {
    await w.openFile('runbook.md');
    const [head, ask, about] = (await w.hover('Relay', 'live claim')).split('\n').filter((line) => line.trim());
    assert.match(head, /^Relay · system .* 17 live claims$/);
    assert.match(ask, /^Ask .*Tomasz Wróbel.*Dispatch team \(owner/);
    assert.match(about, /^The one way in for scans/);
    await popup.getByText('Incident report INC-118').first().click();
    await w.activeTab('INC-118.md');
  });

  await test('on code a hover has two lines, behind those of the language, and definition is left to it', async () => {
    await w.openFile('use.css');
    const said = await w.hover('Relay {', /<Relay>[^]*Ask [^]*Tomasz/);
    assert.ok(said.indexOf('<Relay>') < said.indexOf('Relay · system · Ask'), said);
    assert.doesNotMatch(said, /live claim/);
    await w.pointAt('Kafka');
    await page.mouse.down();
    await page.mouse.up();
    await page.keyboard.press('F12');
    await w.activeTab('kafka.yaml');
  });

  await test('what a hostile file says is shown letter by letter', async () => {
    await w.openFile('hostile.md');
    const said = await w.hover('Evilgate', 'onerror');
    assert.ok(said.replaceAll('\u2060', '').includes(HOSTILE), said);
    assert.equal(await popup.locator('img, b, code, .codicon-flame').count(), 0);
  });

  await test('a row does not come and go while a word is typed slowly; then it goes', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nKafka');
    await entity('Kafka').waitFor();
    for (const letter of 'esque') {
      await page.keyboard.type(letter);
      await page.waitForTimeout(LETTER_MS);
      assert.equal(await entity('Kafka').count(), 1, `it is gone at “${letter}”`);
    }
    await entity('Kafka').waitFor({ state: 'detached' });
  });

  await test('an agent\'s prompt in a terminal shows up under its own heading', async () => {
    const prompt = { session_id: 'agent-in-a-terminal', prompt: 'Who owns the Locker Gateway?', cwd: w.folder };
    const options = { cwd: w.folder, env: w.env, input: JSON.stringify(prompt), encoding: 'utf8' };
    assert.match(execFileSync(SIDECAR, ['hook', 'user-prompt-submit'], options), /Locker Gateway/);
    const heading = w.rows('In Play', 'Agent').first();
    await heading.waitFor();
    assert.match(await heading.innerText(), /Agent\s*agent-in/);
    assert.equal(await w.rows('In Play').first().innerText(), await heading.innerText());
    await w.rows('In Play', 'Locker Gateway').and(page.locator('[aria-level="2"]')).first().waitFor();
  });

  await test('asks for experts and goes through to a claim and its source; weighs them anew', async () => {
    await w.command('Vouch: Find Experts');
    await w.answer('rate limiter');
    await sidebar.getByText(/“rate limiter” · by weight of evidence/).waitFor();
    await w.expand('Experts', 'INC-118');
    const claim = w.row('Experts', 'INC-118 had two causes');
    await w.click(claim);
    await w.activeTab('INC-118.md');
    const carried = await w.tooltip(w.row('Experts', 'INC-118'), 'on this, with');
    assert.match(carried, /\d+ claims? on this, with \d+ citations?[^]*last confirmed or changed on 20\d\d-/);
    await w.row('Experts', 'INC-118').hover();
    await sidebar.getByRole('button', { name: 'Weigh Experts' }).click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'recency' }).click();
    await sidebar.getByText('by how recent they are').waitFor();
  });

  await test('a prompt: the panel follows, Ctrl+Enter submits, its context is inserted and copied', async () => {
    await w.command('Vouch: New Prompt');
    await w.activeTab('Untitled');
    await page.keyboard.type("Is Priya Raman the one to ask about parcel_events retention?");
    await entity('Priya Raman').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.statusbar-item', { hasText: 'prompt recorded for this session' }).waitFor();
    await w.command('Vouch: Insert Context into Prompt');
    await page.locator('.statusbar-item', { hasText: 'context inserted' }).waitFor();
    const first = page.locator('.editor-instance .view-line', { hasText: '<vouch: reference data' });
    await first.first().waitFor();
    await w.command('Vouch: Insert Context into Prompt');
    await page.locator('.statusbar-item', { hasText: 'context inserted' }).waitFor();
    assert.equal(await first.count(), 1); // the second stands in place of the first
    await w.command('Vouch: Copy Context for Prompt');
    await page.locator('.statusbar-item', { hasText: 'context copied' }).waitFor();
    assert.match(await w.clipboard(), /reviewed knowledge base/i);
  });

  await test('the log tells names of messages at the level Trace, never what they hold', async () => {
    const settings = path.join(w.folder, '.vscode/settings.json');
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    fs.writeFileSync(settings, '{ "vouch.trace.server": "verbose" }');
    await w.command('Developer: Set Log Level');
    await w.quickInputRow('Vouch');
    await w.quickInputRow('Trace');
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nWhispered to PostGIS: who feeds the parrot?');
    const traced = (name) => w.log().some((line) => line.startsWith('[trace]') && line.includes(name));
    await until(() => traced('textDocument/didChange'), 'a trace');
    await until(() => traced('vouch/didChangeSalience'), 'a push');
    assert.doesNotMatch(w.log().join('\n'), /parrot|Params:|Result:/);
    assert.ok(!traced('vouch/salience'), 'the panel asks for what was pushed');
  });

  await test('a claim approved outside shows up, here and in what changed this week', async () => {
    await entity('PostGIS').waitFor();
    const text = 'PostGIS is backed up at noon, on the second replica.';
    const [source] = fs.readdirSync(path.join(w.folder, '.vouch/sources'));
    for (const folder of ['proposed', 'decided']) {
      fs.mkdirSync(path.join(w.folder, '.vouch', folder), { recursive: true });
    }
    vouch(w.folder, 'author', 'propose-claim', '--text', text, '--source', source);
    const [proposal] = fs.readdirSync(path.join(w.folder, '.vouch/proposed'));
    vouch(w.folder, 'reviewer', 'approve', path.basename(proposal, '.yaml'));
    await w.command('Vouch: Find Experts');
    await w.answer('PostGIS backed up at noon');
    await w.expand('Experts', 'PostGIS');
    await w.row('Experts', 'PostGIS is backed up at noon').waitFor();
  });

  await test('a broken claim file shows a diagnostic, and the rest still works', async () => {
    const file = path.join(w.folder, '.vouch/claims/broken.yaml');
    fs.writeFileSync(file, 'id: broken\ntext: [unfinished\n');
    await page.keyboard.press('Control+Shift+M');
    const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'broken.yaml' });
    await problem.first().waitFor();
    await w.openFile('runbook.md');
    assert.match(await w.hover('Dead letters', 'live claim'), /dead-letter queue/);
    fs.rmSync(file);
    await problem.first().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+J');
  });

  await test('a server that was killed comes back, with nothing in play but what was typed meanwhile', async () => {
    const [pid] = sidecars(w);
    const file = await w.rows('In This File').allInnerTexts();
    const hold = path.join(w.env.HOME, 'hold');
    fs.writeFileSync(hold, '');
    process.kill(pid, 'SIGKILL');
    await until(async () => {
      assert.deepEqual(await w.rows('In This File').allInnerTexts(), file);
      return sidecars(w).some((other) => other !== pid);
    }, 'another server');
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nThe Locker Gateway is late.');
    fs.rmSync(hold);
    await entity('Locker Gateway').waitFor();
    assert.equal(await entity('Label Forge').count(), 0);
  });

  await test('the knowledge base opts out: the panel empties', async () => {
    const config = path.join(w.folder, '.vouch/config.yaml');
    const text = fs.readFileSync(config, 'utf8');
    fs.writeFileSync(config, text.replace('retrieval:\n', 'retrieval:\n  reflex:\n    enabled: false\n'));
    await sidebar.getByText('Nothing in play').waitFor();
    fs.writeFileSync(config, text);
  });

  await test('a server that keeps ending is given up with one message, which goes by itself', async () => {
    await until(() => sidecars(w).length === 1, 'a server');
    for (let turn = 0; turn < 8; turn += 1) {
      const stopped = sidebar.getByText('The server has stopped');
      const pid = await until(async () => sidecars(w)[0] ?? ((await stopped.count()) > 0 && -1), 'one or the other');
      if (pid === -1) break;
      process.kill(pid, 'SIGKILL');
      await until(() => !sidecars(w).includes(pid), 'it ends');
    }
    await sidebar.getByText('The server has stopped').waitFor();
    const toast = page.locator('.notification-toast', { hasText: 'keeps ending' });
    await toast.getByRole('button', { name: 'Show Logs' }).waitFor();
    assert.equal(await page.locator('.notification-toast').count(), 1);
    await sidebar.getByRole('button', { name: 'Restart' }).click();
    await sidebar.getByText('The server has stopped').waitFor({ state: 'detached' });
    await toast.waitFor({ state: 'detached' });
  });
}
