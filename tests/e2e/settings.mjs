// What every scenario starts from: the example, the server of this checkout, vouch itself.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { PROJECT } from './workbench.mjs';

export { until } from './until.mjs';

export const SIDECAR = process.env.VOUCH_SIDECAR ?? path.join(PROJECT, '.venv/bin/vouch-sidecar');
export const VOUCH = process.env.VOUCH_KB ?? path.join(PROJECT, '.venv/bin/vouch-kb');
export const machineSettings = { 'vouchSidecar.path': SIDECAR };

/** A copy of the example, for this run alone. */
export function courier(folder) {
  fs.cpSync(path.join(PROJECT, 'examples/courier'), folder, { recursive: true });
}

/** Runs vouch in a folder, as somebody; what it printed. */
export function vouch(folder, agent, ...args) {
  const env = { ...process.env, VOUCH_AGENT: agent };
  return execFileSync(VOUCH, args, { cwd: folder, env, encoding: 'utf8' });
}

/** The PATH without folders that hold a server, so that there is none to be found. */
export function withoutServer() {
  const folders = process.env.PATH.split(path.delimiter);
  return folders.filter((folder) => !fs.existsSync(path.join(folder, 'vouch-sidecar'))).join(path.delimiter);
}
