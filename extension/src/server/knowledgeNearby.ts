/**
 * Whether a `.vouch` lies near a folder. The server alone decides which ones count; this spares a
 * process where there is none, so it may say yes where the server finds nothing, never the reverse.
 */
import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

const DEPTH = 3;
/** More than the server looks at. */
const MOST_FOLDERS = 5_000;

async function isKnowledgeNear(folder: string): Promise<boolean> {
  if (process.env.VOUCH_KB_PATH || folder.split(path.sep).includes('.vouch')) return true;
  const holds = (at: string) => existsSync(path.join(at, '.vouch'));
  const start = await realpath(folder).catch(() => folder);
  for (let at = start, below = ''; at !== below; below = at, at = path.dirname(at)) {
    // A linked working tree has a file there, and may be served what the main one has.
    const git = await stat(path.join(at, '.git')).catch(() => undefined);
    if (holds(at) || git?.isFile()) return true;
  }
  let level = [start];
  for (let left = MOST_FOLDERS, down = 0; down < DEPTH && left > 0; down += 1) {
    level = (await Promise.all(level.map(subfolders))).flat().slice(0, left);
    if (level.some(holds)) return true;
    left -= level.length;
  }
  return false;
}

/** Those near which one lies. */
export async function withKnowledge(folders: readonly string[]): Promise<readonly string[]> {
  const isNear = await Promise.all(folders.map(isKnowledgeNear));
  return folders.filter((_, at) => isNear[at]);
}

async function subfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => path.join(folder, name));
}
