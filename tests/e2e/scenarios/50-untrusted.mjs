// A workspace without trust: nothing from it is run, what is named outside of it works.
import assert from 'node:assert/strict';
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
    courier(folder);
    ran = path.join(folder, 'ran');
    const evil = path.join(folder, 'bin/vouch-sidecar');
    fs.mkdirSync(path.dirname(evil));
    fs.writeFileSync(evil, `#!/bin/sh\ntouch "${ran}"\n`, { mode: 0o755 });
    fs.mkdirSync(path.join(folder, '.vscode'));
    const settings = { 'vouchSidecar.path': evil };
    fs.writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));
    return folder;
  },
  // The workspace's own folder is on the PATH, before the real one.
  env: { PATH: `bin:./bin:${path.dirname(SIDECAR)}:${process.env.PATH}` },
});

export async function run({ w, test }) {
  await test('works with the server from outside, and runs nothing from inside', async () => {
    await w.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
    await w.panel();
    await w.page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    await w.openFile('rate_limiter.py');
    assert.match(await w.hover('Relay', 'live claim'), /Relay/);
    assert.ok(!fs.existsSync(ran), 'a program of the workspace was run');
  });
}
