// A workspace that brings settings of its own: what only a user decides on is not taken from it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { courier, SIDECAR, until } from '../settings.mjs';

const USERS = {
  'vouchSidecar.path': '/nowhere/vouch-sidecar',
  'vouchSidecar.people.git': 'off',
  'vouchSidecar.people.never': ['Tomasz Wróbel'],
  'vouchSidecar.semantic.model': '/nowhere/model',
  'vouchSidecar.semantic.ollama': 'http://127.0.0.1:9',
  'vouchSidecar.trust.folders': ['*'],
};
const heard = (folder) => path.join(path.dirname(folder), 'heard');
const recorder = fs.mkdtempSync('/tmp/vouch-e2e-recorder-');
const server = path.join(recorder, 'vouch-sidecar');
const mayStart = path.join(recorder, 'may-start');

export const options = () => ({
  machineSettings: { 'vouchSidecar.path': server },
  userSettings: { 'vouchSidecar.hover.maxClaims': 3 },
  fill(folder) {
    courier(folder);
    fs.mkdirSync(path.join(folder, '.vscode'));
    write(folder, USERS);
    const run = `'${SIDECAR}' "$@"`;
    const script = `[ "$1" = lsp ] || exec ${run}\nwhile [ ! -e '${mayStart}' ]; do sleep 0.1; done\ntee '${heard(folder)}' | ${run}`;
    fs.writeFileSync(server, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  },
});

const write = (folder, settings) =>
  fs.writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));

/** The settings that the server was told, in the order in which it was. */
function told(folder) {
  const text = fs.existsSync(heard(folder)) ? fs.readFileSync(heard(folder), 'utf8') : '';
  const messages = text.split(/Content-Length: \d+\r\n\r\n/).filter((part) => part.trim().endsWith('}'));
  return messages.map((message) => JSON.parse(message)).flatMap(({ method, params }) => {
    if (method === 'initialize') return [params.initializationOptions.settings];
    return method === 'workspace/didChangeConfiguration' ? [params.settings.vouchSidecar] : [];
  });
}

export async function run({ w, test }) {
  await test('while the server starts, the claims on an open file are to come', async () => {
    await w.panel();
    await w.openFile('runbook.md');
    await w.row('In This File', 'Claims are being tied to files…').waitFor();
    fs.writeFileSync(mayStart, '');
    await w.row('In This File', 'dead-letter queue').waitFor();
  });

  await test('the server of the machine is told what the user has set, and nothing else', async () => {
    await w.page.locator('.part.sidebar').getByText('Nothing in play').waitFor();
    assert.deepEqual(told(w.folder), [{ hover: { maxClaims: 3 } }]);
  });

  await test('what a workspace may decide on is told, also where no settings editor offers it', async () => {
    write(w.folder, { ...USERS, 'vouchSidecar.recall.maxResults': 1, 'vouchSidecar.hover.maxClaims': 1 });
    const now = await until(() => told(w.folder)[1], 'the server is told');
    assert.deepEqual(now, { recall: { maxResults: 1 }, hover: { maxClaims: 1 } });
    fs.rmSync(recorder, { recursive: true });
  });
}
