/**
 * Whether the server would find a knowledge base for a folder: the rule of `kb/discovery.py`, held
 * to the same table of cases. It only decides whether a server is started, so it need not ask git
 * what is ignored, nor parse YAML: then it may say yes where the server finds nothing.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

const DEPTH = 3;
export const MOST_FOLDERS = 500;
export const SKIPPED = new Set([
  '__pycache__',
  'build',
  'dist',
  'node_modules',
  'out',
  'site-packages',
  'target',
  'vendor',
  'venv',
]);
const ALLOWS_HOME = /\ballow_home_kb\s*:\s*true\b/;

/** What the look knows of the machine. */
export interface Surroundings {
  readonly home: string;
  readonly temporary: readonly string[];
  /** `VOUCH_KB_PATH`. */
  readonly forced: string | undefined;
  isForeign(file: string): Promise<boolean>;
}

/** `trusting`: those of other users count; the server decides which of them it serves. */
export function hasAnyKnowledgeBase(folder: string, trusting: boolean): Promise<boolean> {
  const around = surroundings();
  return hasKnowledgeBase(folder, trusting ? { ...around, isForeign: async () => false } : around);
}

export async function hasKnowledgeBase(folder: string, around: Surroundings): Promise<boolean> {
  if (around.forced) return path.basename(around.forced) === '.vouch' && isFolder(around.forced);
  const [origin, home, ...temporary] = (await Promise.all(
    [folder, around.home, ...around.temporary].map(real),
  )) as [string, string, ...string[]];
  return (await above(origin, home, around)) || below(origin, [home, ...temporary], around);
}

function surroundings(): Surroundings {
  return {
    home: homedir(),
    temporary: ['/tmp', '/var/tmp', tmpdir()],
    forced: process.env.VOUCH_KB_PATH,
    isForeign,
  };
}

async function above(origin: string, home: string, around: Surroundings): Promise<boolean> {
  for (let at = origin; !(await around.isForeign(at)); at = path.dirname(at)) {
    if (await holdsOne(at, around)) return at !== home || at === origin || allowsHome(at);
    if (at === home || at === path.dirname(at)) return false;
  }
  return false;
}

async function below(
  origin: string,
  closed: readonly string[],
  around: Surroundings,
): Promise<boolean> {
  let level = closed.includes(origin) ? [] : [origin];
  let left = MOST_FOLDERS;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      for (const at of await subfolders(folder)) {
        if (closed.includes(at)) continue;
        if (left === 0) return false;
        left -= 1;
        if (await around.isForeign(at)) continue;
        if (await holdsOne(at, around)) return true;
        next.push(at);
      }
    }
    level = next;
  }
  return false;
}

async function subfolders(folder: string): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isDirectory())
    .filter(({ name }) => !name.startsWith('.') && !SKIPPED.has(name))
    .map(({ name }) => path.join(folder, name))
    .sort();
}

async function holdsOne(folder: string, around: Surroundings): Promise<boolean> {
  const at = path.join(folder, '.vouch');
  return (await isFolder(at)) && !(await around.isForeign(at));
}

async function allowsHome(home: string): Promise<boolean> {
  try {
    return ALLOWS_HOME.test(await readFile(path.join(home, '.vouch', 'config.yaml'), 'utf8'));
  } catch {
    return false;
  }
}

/** Whether another user owns a folder, or the link that leads to it; root apart. */
async function isForeign(file: string): Promise<boolean> {
  const own = process.getuid?.();
  if (own === undefined || !(await isFolder(file))) return false;
  const owners = [(await lstat(file)).uid, (await stat(file)).uid];
  return owners.some((owner) => owner !== 0 && owner !== own);
}

/** The real path, as far as there is something. */
async function real(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(await real(parent), path.basename(file));
  }
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    return false;
  }
}
