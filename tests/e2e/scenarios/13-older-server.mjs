// What an older version of the extension has installed serves until the carried one has replaced it.
import fs from 'node:fs';
import path from 'node:path';
import { courier, SIDECAR, until, withoutServer } from '../settings.mjs';

const store = (folder) =>
  path.join(path.dirname(folder), 'user/User/globalStorage/vouch-sidecar.vouch-sidecar');

export const options = () => ({
  env: { PATH: withoutServer() },
  fill(folder) {
    courier(folder);
    const bin = path.join(store(folder), 'server/bin');
    fs.mkdirSync(bin, { recursive: true });
    const python = path.join(path.dirname(SIDECAR), 'python');
    for (const [name, command] of [['vouch-sidecar', SIDECAR], ['python', python]]) {
      fs.writeFileSync(path.join(bin, name), `#!/bin/sh\nexec '${command}' "$@"\n`, { mode: 0o755 });
    }
  },
});

export async function run({ w, test }) {
  await test('the older one serves at once', async () => {
    await w.panel();
    await w.page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    if (w.log().every((line) => !line.includes('server/bin/vouch-sidecar: version'))) throw new Error('another one serves');
  });

  await test('the carried one replaces it, without a question', async () => {
    const taken = () => w.log().some((line) => /server-[0-9a-f]{12}\/bin\/vouch-sidecar: version .*, taken/.test(line));
    await until(taken, 'the carried one is taken', 200_000);
    await w.page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    const there = fs.readdirSync(store(w.folder)).filter((name) => name.startsWith('server'));
    if (there.length !== 1) throw new Error(there.join(', '));
    if (await w.page.locator('.notification-toast').count()) throw new Error('a notification');
  });
}
