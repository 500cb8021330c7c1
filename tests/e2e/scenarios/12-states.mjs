// What the view says where it has nothing to show: a wrong path, no entities, nothing at all.
import fs from 'node:fs';
import path from 'node:path';
import { courier, SIDECAR } from '../settings.mjs';

export const options = () => ({
  machineSettings: { 'vouchSidecar.path': '/nowhere/vouch-sidecar' },
  env: { PATH: `${path.dirname(SIDECAR)}:${process.env.PATH}` },
  fill(folder) {
    courier(folder);
    fs.rmSync(path.join(folder, '.vouch/entities'), { recursive: true });
  },
});

export async function run({ w, test }) {
  const sidebar = w.page.locator('.part.sidebar');

  await test('names the wrong setting as the cause', async () => {
    await w.panel();
    await sidebar.getByText('The setting vouchSidecar.path names no server').waitFor();
    await sidebar.getByText('Experts can be asked for once').waitFor();
    if (await sidebar.getByText('no data provider').count()) throw new Error('no welcome');
  });

  await test('the status menu offers to install', async () => {
    await w.command('Vouch: Show Status');
    await w.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Install Server' }).waitFor();
    await w.page.keyboard.press('Escape');
  });

  await test('without the setting the server on the PATH starts; no entities are said', async () => {
    await sidebar.getByRole('button', { name: 'Clear Setting' }).click();
    await sidebar.getByText('The knowledge base has no entities, so').waitFor();
    await sidebar.getByText('vouch propose-entity').waitFor();
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
