// What the views say where they have nothing to show: a wrong path, no entities, nothing that can be read.
import fs from 'node:fs';
import path from 'node:path';
import { pictures } from '../pictures.mjs';
import { courier, SIDECAR, until } from '../settings.mjs';

export const options = () => ({
  machineSettings: { 'vouchSidecar.path': '/nowhere/vouch-sidecar' },
  env: { PATH: `${path.dirname(SIDECAR)}:${process.env.PATH}` },
  fill(folder) {
    courier(folder);
    fs.rmSync(path.join(folder, '.vouch/entities'), { recursive: true });
  },
});

export async function run({ w, test, artifacts }) {
  const sidebar = w.page.locator('.part.sidebar');

  await test('names the wrong setting as the cause', async () => {
    await w.panel();
    await sidebar.getByText('vouchSidecar.path names no server that runs: /nowhere/vouch-sidecar').waitFor();
    await sidebar.getByText('is shown here once there are claims').waitFor();
    if (await sidebar.getByText('no data provider').count()) throw new Error('no welcome');
    await pictures(w, artifacts, 'wrong-path');
  });

  await test('the status offers to install', async () => {
    await w.status.click();
    await w.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Install Server' }).waitFor();
    await w.page.keyboard.press('Escape');
  });

  await test('without the setting the server on the PATH starts; topics and claims are counted', async () => {
    await w.row('In Play', 'Clear Setting').click();
    await sidebar.getByText(/Nothing in play\. \d+ topics, \d+ claims/).waitFor();
    await w.row('In Play', 'Find Experts').click();
    await w.page.locator('.quick-input-widget input').first().waitFor();
    await w.page.keyboard.press('Escape');
  });

  await test('where nothing can be read, each view says so', async () => {
    const folder = path.join(w.folder, '.vouch');
    for (const kind of ['claims', 'pages']) {
      for (const name of fs.readdirSync(path.join(folder, kind))) {
        fs.writeFileSync(path.join(folder, kind, name), 'text: [unfinished\n');
      }
    }
    await w.command('Vouch: Restart Server');
    await w.openFile('runbook.md');
    await until(async () => (await sidebar.getByText('could be read').count()) === 3, 'all three say so', 30_000);
    await sidebar.getByRole('button', { name: 'Show Problems' }).first().click();
    await w.page.locator('.quick-input-list .monaco-list-row', { hasText: '.yaml' }).first().waitFor();
    await w.page.keyboard.press('Escape');
  });

  await test('an empty knowledge base says so', async () => {
    for (const kind of ['claims', 'pages', 'relations']) {
      const folder = path.join(w.folder, '.vouch', kind);
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
    }
    await w.command('Vouch: Restart Server');
    await sidebar.getByText('The knowledge base is empty').waitFor();
  });
}
