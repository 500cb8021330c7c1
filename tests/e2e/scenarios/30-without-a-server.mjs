// No server: where there is no knowledge base the view says how to make one, then Install brings a server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { courier, until, withoutServer } from '../settings.mjs';

export const options = () => ({
  fill(folder) {
    for (const file of ['doc/overview.md', 'docs/adr/0001-queue.md', 'docs/adr/0002-depot.md', 'docs/index.md']) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), 'We keep one queue for each depot.\n');
    }
  },
  env: { PATH: withoutServer(), PIP_CACHE_DIR: path.join(os.homedir(), '.cache/pip') },
  userSettings: { 'terminal.integrated.gpuAcceleration': 'off' }, // else its text is a picture
});

export async function run({ w, test }) {
  const sidebar = w.page.locator('.part.sidebar');

  await test('where there is no knowledge base it types the command that makes one, until one appears', async () => {
    await w.panel();
    await sidebar.getByText('No knowledge base here').waitFor();
    await sidebar.getByRole('button', { name: 'Make One in a Terminal' }).click();
    const typed = 'vouch init && for file in docs/adr/*.md; do vouch ingest "$file"; done';
    const terminal = w.page.locator('.xterm-rows', { hasText: typed });
    await terminal.waitFor();
    assert.equal((await terminal.innerText()).split('vouch init').length, 2, 'it stands there twice');
    assert.ok(!fs.existsSync(path.join(w.folder, '.vouch')), 'it was run');
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

  await test('what an older version has installed is replaced', async () => {
    const store = path.join(w.run, 'user/User/globalStorage/vouch-sidecar.vouch-sidecar');
    const [own] = fs.readdirSync(store);
    const older = path.join(store, 'server-older');
    const script = (environment) => path.join(store, environment, 'bin/vouch-sidecar');
    const text = fs.readFileSync(script(own), 'utf8').replaceAll(own, 'server-older');
    fs.rmSync(script(own));
    execFileSync('cp', ['-al', path.join(store, own), older]);
    fs.writeFileSync(script('server-older'), text, { mode: 0o755 });
    // A Python whose environments lack our package alone: that pip brings the others was seen above.
    const lib = path.join(older, 'lib', fs.readdirSync(path.join(older, 'lib'))[0], 'site-packages');
    const ours = fs.readdirSync(lib).find((name) => /^vouch_sidecar-.*info$/.test(name));
    fs.rmSync(path.join(lib, ours), { recursive: true });
    const python = `#!/bin/sh\n[ "$1" = -c ] || cp -al "${older}" "$3"\n`;
    fs.writeFileSync(path.join(w.programs, 'python3.13'), python, { mode: 0o755 });
    await w.command('Vouch: Restart Server');
    await until(() => `${fs.readdirSync(store)}` === own, 'the older one is gone', 180_000);
    assert.ok(fs.existsSync(script(own)));
    await sidebar.getByText('Nothing in play').waitFor();
  });
}
