// The example of this repository, looked at the way somebody works with it all day.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { sidecars } from '../processes.mjs';
import { courier, machineSettings, until, vouch } from '../settings.mjs';

const settings = (folder) => path.join(folder, '.vscode/settings.json');

export const options = () => ({
  machineSettings,
  fill(folder) {
    courier(folder);
    fs.mkdirSync(path.dirname(settings(folder)));
    fs.writeFileSync(settings(folder), '{}');
    const cell = { cell_type: 'code', metadata: {}, outputs: [], execution_count: null, id: 'a' };
    const cells = [{ ...cell, source: ['# Kafka keeps it for two weeks'] }];
    const notebook = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
    fs.writeFileSync(path.join(folder, 'look.ipynb'), JSON.stringify(notebook));
  },
});

/** It kills servers. */
export const faults =
  /SIGKILL|create connection|connection to server is erroring|Sending request failed|(Stopping|Restarting) server failed|keeps ending|did not stop in time|crashed 5 times/;

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');
  const inPlay = (text) => w.row('In Play', text);

  await page.setViewportSize({ width: 1280, height: 1900 }); // only the rows in sight exist

  await test('starts, and has nothing in play', async () => {
    await w.panel();
    await sidebar.getByText('Nothing in play').waitFor();
  });

  await test('is listed with its activation time', async () => {
    await w.command('Developer: Show Running Extensions');
    // The slowest come first, and only the rows in sight exist.
    const editor = page.locator('.runtime-extensions-editor');
    const row = editor.locator('.extension', { hasText: 'Vouch' }).first();
    await editor.locator('.extension').first().hover();
    const said = await until(async () => {
      if (!(await row.isVisible())) await page.mouse.wheel(0, 300);
      else return /(\d+)ms/.exec(await row.innerText())?.[0];
    }, 'activation time');
    await page.keyboard.press('Escape');
    return said;
  });

  await test('hovers a name in a Python file', async () => {
    await w.openFile('rate_limiter.py');
    const hover = await w.hover('Relay', 'live claim');
    assert.match(hover, /Relay.*system/);
    assert.ok(hover.split('\n').filter((line) => line.trim()).length <= 14, hover);
  });

  await test('does not hover an ordinary word', async () => {
    await w.pointAt('crowding');
    await page.waitForTimeout(1_500);
    assert.equal(await page.locator('.monaco-hover:visible .hover-contents').count(), 0);
  });

  await test('hovers an alias in a Markdown file', async () => {
    await w.openFile('runbook.md');
    assert.match(await w.hover('Dead letters', 'live claim'), /dead-letter queue/);
  });

  await test('hovers a name in an untitled file', async () => {
    await w.command('File: New Untitled Text File');
    await w.activeTab('Untitled');
    await page.keyboard.type('Ask Mei Tanaka first.');
    assert.match(await w.hover('Tanaka', 'live claim'), /Mei Tanaka.*person/);
    await w.toEnd();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+W');
  });

  await test("hovers a name in a notebook's cell", async () => {
    await w.quickInput('look.ipynb');
    await w.activeTab('look.ipynb');
    await page.locator('.notebook-editor .view-line').first().waitFor();
    assert.match(await w.hover('Kafka', 'live claim'), /Kafka/);
    await page.keyboard.press('Control+W');
  });

  await test('typing a sentence brings an entity into the panel', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    const took = [];
    for (const name of ['ETA model', 'cut-off time', 'Label Forge']) {
      await page.keyboard.type(`\nWhat about the ${name}`);
      const start = performance.now();
      await inPlay(name).waitFor();
      took.push(Math.round(performance.now() - start));
    }
    return `${took.join(', ')} ms after the last key`;
  });

  await test('an entity says why it is in play, what is claimed of it and on what', async () => {
    await w.expand('In Play', 'Label Forge');
    await w.row('In Play', '“Label Forge”').waitFor();
    const claim = w.rows('In Play').and(page.locator('[aria-level="2"]')).nth(1);
    assert.match(await w.tooltip(claim, 'confidence'), /(stable|working|actionable) · confidence 0\.\d\d · 20\d\d-.*\n— /);
  });

  await test('what is read does not move when something else comes into play', async () => {
    await page.keyboard.press('Escape');
    const before = (await inPlay('Label Forge').boundingBox()).y;
    await w.toEnd();
    await page.keyboard.type('\n\nNot before the Tokyo hub wakes up.');
    await inPlay('東京ハブ').waitFor();
    assert.equal((await inPlay('Label Forge').boundingBox()).y, before);
  });

  await test('a claim opens its file at the text', async () => {
    const claim = w.rows('In Play').and(page.locator('[aria-level="2"]')).nth(1);
    await w.settled(claim);
    await claim.hover();
    await claim.getByRole('button', { name: 'Open Claim' }).click();
    await page.locator('.tab.active', { hasText: '.yaml' }).waitFor();
    await page.locator('.editor-instance .view-line', { hasText: 'text:' }).first().waitFor();
  });

  await test('asks for experts and goes through to a claim and its source', async () => {
    await w.command('Vouch: Find Experts');
    await w.answer('rate limiter');
    await sidebar.getByText(/rate limiter · concept · \d+ claims · by weight of evidence/).waitFor();
    await w.expand('Experts', 'INC-118');
    const claim = w.row('Experts', 'INC-118 had two causes');
    await claim.click();
    await w.activeTab('INC-118.md');
    await claim.getByRole('button', { name: 'Open Claim' }).click();
    await w.activeTab('inc-118-cause.yaml');
  });

  await test('weighs the experts anew and shows only some types', async () => {
    await w.row('Experts', 'INC-118').hover();
    await sidebar.getByRole('button', { name: 'Filter Experts' }).click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'recency' }).click();
    await sidebar.getByText('by how recent they are').waitFor();
    await w.row('Experts', 'INC-118').hover();
    await sidebar.getByRole('button', { name: 'Filter Experts' }).click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'system' }).click();
    await sidebar.getByText('only system').waitFor();
    await w.row('Experts', 'INC-118').waitFor({ state: 'detached' });
  });

  await test('a prompt document: the status bar says how, the panel follows, Ctrl+Enter submits', async () => {
    await w.command('Vouch: New Prompt');
    await w.activeTab('Untitled');
    await page.locator('.statusbar-item', { hasText: 'Ctrl+Enter (Cmd+Enter on a Mac) submits' }).waitFor();
    await page.keyboard.type("Is Priya Raman the one to ask about parcel_events retention?");
    await inPlay('Priya Raman').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.statusbar-item', { hasText: 'prompt recorded for this session' }).waitFor();
    await page.keyboard.type(' Today?'); // nothing is selected, the caret stays
    await page.locator('.editor-instance .view-line', { hasText: 'retention? Today?' }).waitFor();
  });

  await test('inserts the context into the prompt', async () => {
    await w.command('Vouch: Insert Context into Prompt');
    await page.locator('.statusbar-item', { hasText: 'context inserted' }).waitFor();
    const first = page.locator('.editor-instance .view-line', { hasText: '<vouch: reference data' });
    await first.first().waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.type('Say: ');
    await w.command('Vouch: Insert Context into Prompt');
    await page.locator('.statusbar-item', { hasText: 'context inserted' }).waitFor();
    assert.equal(await first.count(), 1); // the second stands in place of the first
    for (let turn = 0; turn < 3; turn += 1) await page.keyboard.press('Control+Z');
  });

  await test('copies the context for a prompt', async () => {
    await w.command('Vouch: Copy Context for Prompt');
    await page.locator('.statusbar-item', { hasText: 'context copied' }).waitFor();
    assert.match(await w.clipboard(), /reviewed knowledge base/i);
    // The panel lists the claims that the block holds.
    const held = w.rows('In Play').and(page.locator('[aria-label^="For a prompt"]'));
    const listed = Number(/, (\d+)/.exec(await held.getAttribute('aria-label'))[1]);
    const lines = (await w.clipboard()).split('\n').filter((line) => line.startsWith('- '));
    assert.equal(listed, lines.length, lines.join('\n'));
  });

  await test('a setting of the workspace reaches the server', async () => {
    fs.writeFileSync(settings(w.folder), '{ "vouchSidecar.recall.maxResults": 1 }');
    const one = page.locator('.statusbar-item', { hasText: 'context copied, 1 item' });
    await until(async () => {
      await w.command('Vouch: Copy Context for Prompt');
      await page.waitForTimeout(500);
      return (await one.count()) > 0;
    }, 'a shorter context');
    fs.writeFileSync(settings(w.folder), '{}');
  });

  await test('shows the status', async () => {
    await w.status.click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'courier' }).first().waitFor();
    await w.picture(path.join(artifacts, '20-courier-the-status.png'));
    await page.keyboard.press('Escape');
  });

  await test('the log tells names of messages at the level Trace, never what they hold', async () => {
    fs.writeFileSync(settings(w.folder), '{ "vouch.trace.server": "verbose" }');
    await w.command('Developer: Set Log Level');
    await w.quickInputRow('Vouch');
    await w.quickInputRow('Trace');
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nWhispered: who feeds the parrot?');
    const traced = (name) => w.log().some((line) => line.startsWith('[trace]') && line.includes(name));
    await until(() => traced('textDocument/didChange'), 'a trace');
    await until(() => traced('vouch/mentions'), 'a trace of a question');
    assert.doesNotMatch(w.log().join('\n'), /parrot|Params:|Result:/);
    await until(() => traced('vouch/salience'), 'the panel asks');
    assert.ok(!traced('vouch/didChangeSalience'), 'it was told as well');
    const asked = w.log().filter((line) => line.includes("Sending request 'textDocument/diagnostic"));
    assert.ok(asked.length < 20, `${asked.length} questions for problems of a text of no knowledge base`);
    await w.command('Developer: Set Log Level');
    await w.quickInputRow('Vouch');
    await w.quickInputRow('Info');
    fs.writeFileSync(settings(w.folder), '{}');
  });

  await test('a claim approved outside shows up', async () => {
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nDo we restart PostGIS?');
    await inPlay('PostGIS').waitFor();
    await w.expand('In Play', 'PostGIS');
    const text = 'PostGIS is backed up at noon, on the second replica.';
    assert.equal(await inPlay('backed up at noon').count(), 0);
    const [source] = fs.readdirSync(path.join(w.folder, '.vouch/sources'));
    for (const folder of ['proposed', 'decided']) {
      fs.mkdirSync(path.join(w.folder, '.vouch', folder), { recursive: true });
    }
    const propose = ['propose-claim', '--text', text, '--source', source];
    vouch(w.folder, 'author', ...propose);
    const [proposal] = fs.readdirSync(path.join(w.folder, '.vouch/proposed'));
    vouch(w.folder, 'reviewer', 'approve', path.basename(proposal, '.yaml'));
    await inPlay('backed up at noon').waitFor();
  });

  await test('a broken claim file shows a diagnostic, and the rest still works', async () => {
    const file = path.join(w.folder, '.vouch/claims/broken.yaml');
    fs.writeFileSync(file, 'id: broken\ntext: [unfinished\n');
    await page.keyboard.press('Control+Shift+M');
    const problem = page.locator('.markers-panel .monaco-list-row', { hasText: 'broken.yaml' });
    await problem.first().waitFor();
    await w.openFile('rate_limiter.py');
    assert.match(await w.hover('Relay', 'live claim'), /Relay/);
    fs.rmSync(file);
    await problem.first().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+J');
  });

  await test('a server that was killed comes back with its panel', async () => {
    const shown = await w.rows('In Play').allInnerTexts();
    assert.ok(shown.length > 0);
    const [pid] = sidecars(w);
    process.kill(pid, 'SIGKILL');
    const file = await w.rows('In This File').allInnerTexts();
    await until(async () => {
      assert.deepEqual(await w.rows('In This File').allInnerTexts(), file);
      const inPlayNow = await w.rows('In Play').allInnerTexts();
      const isBack = sidecars(w).some((other) => other !== pid);
      if (!isBack) assert.deepEqual(inPlayNow, shown); // a new one begins with nothing in play
      return isBack;
    }, 'another server');
    await w.openFile('runbook.md');
    await w.hover('Dead letters', 'live claim');
    await w.openFile('notes.txt');
    await w.toEnd();
    await page.keyboard.type('\n\nThe Locker Gateway is late.');
    await inPlay('Locker Gateway').waitFor();
  });

  await test('the knowledge base opts out: the panel empties', async () => {
    const config = path.join(w.folder, '.vouch/config.yaml');
    const text = fs.readFileSync(config, 'utf8');
    fs.writeFileSync(config, text.replace('retrieval:\n', 'retrieval:\n  reflex:\n    enabled: false\n'));
    await sidebar.getByText('Nothing in play').waitFor();
    fs.writeFileSync(config, text);
  });

  await test('a server that keeps ending is given up with one message', async () => {
    await until(() => sidecars(w).length === 1, 'a server');
    for (let turn = 0; turn < 8; turn += 1) {
      const stopped = sidebar.getByText('The server has stopped');
      const pid = await until(async () => sidecars(w)[0] ?? ((await stopped.count()) > 0 && -1), 'one or the other');
      if (pid === -1) break;
      process.kill(pid, 'SIGKILL');
      await until(() => !sidecars(w).includes(pid), 'it ends');
    }
    await sidebar.getByText('The server has stopped').waitFor();
    assert.equal(await page.locator('.notification-toast').count(), 1);
    await page.locator('.notification-toast', { hasText: 'keeps ending' }).getByRole('button', { name: 'Show Logs' }).waitFor();
    await sidebar.getByRole('button', { name: 'Restart' }).click();
    await sidebar.getByText('The server has stopped').waitFor({ state: 'detached' });
  });
}
