import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { hasKnowledgeBase, MOST_FOLDERS, SKIPPED } from '../src/server/look';

interface Case {
  readonly name: string;
  readonly folders: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly many?: Readonly<Record<string, number>>;
  readonly foreign?: readonly string[];
  readonly forced?: string;
  readonly git?: boolean;
  readonly start: string;
  readonly found: readonly string[];
}

const table: { skipped: string[]; most: number; cases: Case[] } = JSON.parse(
  readFileSync('../tests/kb/discovery_cases.json', 'utf8'),
);

for (const one of table.cases) {
  test(`the look for a knowledge base: ${one.name}`, async (t) => {
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'vouch-look-')));
    t.after(() => rmSync(base, { recursive: true }));
    const at = (name: string) => path.join(base, name);
    for (const folder of [...one.folders, 'home']) mkdirSync(at(folder), { recursive: true });
    for (const [folder, number] of Object.entries(one.many ?? {})) {
      for (let n = 0; n < number; n += 1) mkdirSync(at(`${folder}/f${String(n).padStart(3, '0')}`));
    }
    for (const [file, text] of Object.entries(one.files ?? {})) writeFileSync(at(file), text);
    for (const [link, target] of Object.entries(one.links ?? {})) symlinkSync(at(target), at(link));
    const foreign = (one.foreign ?? []).map(at);
    const found = await hasKnowledgeBase(at(one.start), {
      home: at('home'),
      temporary: [at('temporary')],
      forced: one.forced && at(one.forced),
      isForeign: async (file) => foreign.includes(file),
    });
    // Only git knows what it ignores: then the look may say yes where the server finds nothing.
    if (one.found.length > 0 || !one.git) assert.equal(found, one.found.length > 0);
  });
}

test('the look skips the folders that the server skips', () => {
  assert.deepEqual([...SKIPPED], table.skipped);
  assert.equal(MOST_FOLDERS, table.most);
});
