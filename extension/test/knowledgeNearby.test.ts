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
import { withKnowledge } from '../src/server/knowledgeNearby';

interface Case {
  readonly name: string;
  readonly folders: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly many?: Readonly<Record<string, number>>;
  readonly forced?: string;
  readonly start: string;
  readonly found: readonly string[];
}

const table: { cases: Case[] } = JSON.parse(
  readFileSync('../tests/kb/discovery_cases.json', 'utf8'),
);

test('wherever the server finds a knowledge base, one is near', async (t) => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'vouch-look-')));
  t.after(() => rmSync(base, { recursive: true }));
  for (const [number, one] of table.cases.filter(({ found }) => found.length > 0).entries()) {
    const at = (name: string) => path.join(base, String(number), name);
    for (const folder of [...one.folders, 'home']) mkdirSync(at(folder), { recursive: true });
    for (const [folder, many] of Object.entries(one.many ?? {})) {
      for (let n = 0; n < many; n += 1) mkdirSync(at(`${folder}/f${String(n).padStart(3, '0')}`));
    }
    for (const [file, text] of Object.entries(one.files ?? {})) writeFileSync(at(file), text);
    for (const [link, target] of Object.entries(one.links ?? {})) symlinkSync(at(target), at(link));
    if (one.forced) process.env.VOUCH_KB_PATH = at(one.forced);
    assert.deepEqual(await withKnowledge([at(one.start)]), [at(one.start)], one.name);
    delete process.env.VOUCH_KB_PATH;
  }
});

test('where there is none above, nor three levels below, none is near', async (t) => {
  const base = mkdtempSync(path.join(tmpdir(), 'vouch-look-'));
  t.after(() => rmSync(base, { recursive: true }));
  mkdirSync(path.join(base, 'a/b/c/d/.vouch'), { recursive: true });
  const inside = path.join(base, 'a');
  assert.deepEqual(await withKnowledge([base, inside]), [inside]);
});
