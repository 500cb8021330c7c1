// Ten thousand claims; then none of them can be read.
import fs from 'node:fs';
import path from 'node:path';
import { pictures } from '../pictures.mjs';
import { machineSettings, until } from '../settings.mjs';

const MANY = 10_000;
const nameOf = (n) => `valve ${String.fromCharCode(97 + (n % 26))}${n % 40}`;
const file = (folder, n) => path.join(folder, `.vouch/claims/c${n}.yaml`);

export const options = () => ({
  machineSettings,
  fill(folder) {
    for (const kind of ['claims', 'entities']) fs.mkdirSync(path.join(folder, '.vouch', kind), { recursive: true });
    fs.writeFileSync(path.join(folder, '.vouch/config.yaml'), 'version: 1\nkb:\n  id: plant\n  name: plant\n');
    for (let n = 0; n < 40; n += 1) {
      const entity = `id: pump-${n}\nname: Pump ${n}\ntype: system\n`;
      fs.writeFileSync(path.join(folder, `.vouch/entities/pump-${n}.yaml`), entity);
    }
    for (let n = 0; n < MANY; n += 1) fs.writeFileSync(file(folder, n), claim(n));
    fs.writeFileSync(path.join(folder, 'shift.md'), 'Pump 7 was replaced.\n');
  },
});

const claim = (n) => `id: c${n}
text: Pump ${n % 40} feeds ${nameOf(n)} at ${100 + (n % 700)} litres an hour since week ${n % 52}.
type: observation
status: stable
confidence: 0.8
evidence: ['${String(n % 10).repeat(64)}']
entities: [pump-${n % 40}]
updated_at: '2026-0${1 + (n % 9)}-01T10:00:00Z'
`;

export async function run({ w, test, artifacts }) {
  const { page } = w;
  const sidebar = page.locator('.part.sidebar');

  await test('are counted', async () => {
    await page.setViewportSize({ width: 1280, height: 960 });
    await w.panel();
    await until(() => sidebar.getByText('Nothing in play. 40 entities, 10000 claims.').isVisible(), 'the count', 90_000);
  });

  await test('name what is typed, and whom to ask', async () => {
    await w.openFile('shift.md');
    await w.toEnd();
    await page.keyboard.type('\nIs Pump 7 open?');
    await w.row('In Play', 'Pump 7').waitFor();
    await w.command('Vouch: Find Experts');
    await w.answer('litres an hour');
    await w.row('Experts', 'Pump').waitFor();
    await pictures(w, artifacts, 'ten-thousand');
  });

  await test('where none can be read, the views say so', async () => {
    for (let n = 0; n < MANY; n += 1) fs.writeFileSync(file(w.folder, n), 'text: [unfinished\n');
    await w.command('Vouch: Restart Server');
    await until(async () => (await sidebar.getByText('could be read').count()) >= 2, 'they say so', 120_000);
    await pictures(w, artifacts, 'unreadable');
    await sidebar.getByRole('button', { name: 'Show Problems' }).first().click();
    await page.locator('.quick-input-list .monaco-list-row', { hasText: '.yaml' }).first().waitFor();
    await page.keyboard.press('Escape');
  });
}
