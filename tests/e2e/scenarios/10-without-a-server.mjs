// No server: nothing where there is no knowledge base, then the view says so, and Install brings one.
import fs from 'node:fs';
import path from 'node:path';
import { courier, withoutServer } from '../settings.mjs';

export const options = () => ({
  fill: (folder) => fs.writeFileSync(path.join(folder, 'notes.txt'), 'Nothing is known yet.\n'),
  env: { PATH: withoutServer() },
});

export async function run({ w, test }) {
  const sidebar = w.page.locator('.part.sidebar');

  await test('says that there is no knowledge base, until one appears', async () => {
    await w.panel();
    await sidebar.getByText('No knowledge base here').waitFor();
    courier(w.folder);
    await sidebar.getByText('no server to read it with').waitFor();
    await w.status.and(w.page.locator('.error-kind')).filter({ hasText: 'Vouch: no server' }).waitFor();
  });

  await test('installs the server that it carries', async () => {
    await sidebar.getByRole('button', { name: 'Install Server', exact: true }).click();
    await w.page.locator('.notification-toast', { hasText: 'installing the server' }).waitFor();
    await sidebar.getByText('Nothing in play').waitFor({ timeout: 180_000 });
    await w.status.and(w.page.locator(':not(.error-kind)')).waitFor();
  });
}
