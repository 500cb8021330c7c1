// A folder without a knowledge base: nothing is started, until one appears.
import fs from 'node:fs';
import path from 'node:path';
import { courier, machineSettings } from '../settings.mjs';
import { sidecars } from '../processes.mjs';

export const options = () => ({
  fill: (folder) => fs.writeFileSync(path.join(folder, 'a.txt'), 'Relay\n'),
  machineSettings,
});

export async function run({ w, test }) {
  const sidebar = w.page.locator('.part.sidebar');

  await test('says that there is no knowledge base and starts nothing', async () => {
    await w.panel();
    await sidebar.getByText('No knowledge base here').waitFor();
    if (sidecars(w).length > 0) throw new Error('A server was started.');
  });

  await test('starts when one appears', async () => {
    courier(w.folder);
    await sidebar.getByText('Nothing in play').waitFor();
    if (sidecars(w).length !== 1) throw new Error('No server was started.');
  });
}
