// "Open Example", where there is nothing yet.
import fs from 'node:fs';
import path from 'node:path';
import { machineSettings } from '../settings.mjs';

export const options = () => ({
  machineSettings,
  env: { TMPDIR: fs.mkdtempSync('/tmp/vouch-e2e-tmp-') },
  fill(folder) {
    fs.writeFileSync(path.join(folder, 'README.md'), 'Nothing here.\n');
  },
});

export async function run({ w, test }) {
  const { page } = w;

  await test('the example is offered, and opens', async () => {
    await w.panel();
    const sidebar = page.locator('.part.sidebar');
    const opened = w.context.waitForEvent('page');
    await sidebar.getByRole('button', { name: 'Open Example' }).click();
    const other = await opened;
    await other.locator('.explorer-folders-view .monaco-list-row', { hasText: 'notes.txt' }).waitFor({ timeout: 60_000 });
    await other.locator('.activitybar').getByRole('tab', { name: 'Vouch' }).click();
    await other.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    fs.rmSync(w.env.TMPDIR, { recursive: true, force: true });
  });
}
