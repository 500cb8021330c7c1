/** Whether there is a knowledge base in, above or a little below a folder. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

const DEPTH = 2;
const MOST_FOLDERS = 200;
const SKIPPED = new Set(['node_modules', 'dist', 'build', 'target', 'venv', '__pycache__']);

/** The look costs a few `stat` calls upward and at most `MOST_FOLDERS` listings downward. */
export async function hasKnowledgeBase(folder: string, home: string): Promise<boolean> {
  return (await above(folder, home)) || (await below(folder));
}

async function above(folder: string, home: string): Promise<boolean> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (await isFolder(path.join(at, '.vouch'))) return true;
    if (at === home || at === path.dirname(at)) return false;
  }
}

async function below(folder: string): Promise<boolean> {
  let level = [folder];
  let listed = 0;
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const next: string[] = [];
    for (const at of level) {
      listed += 1;
      if (listed > MOST_FOLDERS) return false;
      for (const entry of await list(at)) {
        if (!entry.isDirectory()) continue;
        if (entry.name === '.vouch') return true;
        if (!entry.name.startsWith('.') && !SKIPPED.has(entry.name)) {
          next.push(path.join(at, entry.name));
        }
      }
    }
    level = next;
  }
  for (const at of level.slice(0, MOST_FOLDERS)) {
    if (await isFolder(path.join(at, '.vouch'))) return true;
  }
  return false;
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch {
    return false;
  }
}
