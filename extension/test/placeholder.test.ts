import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeholderOf } from '../src/inPlay/placeholder';
import type { StatusResult } from '../src/protocol.gen';

const counts = { claims: 2, entities: 1, pages: 0, relations: 0, sources: 0, evidence: 0 };
const root = { root: '/kb', collection: 'kb', counts, unusable: 0, problems: [], indexed_at: null };
const status = (paused_until: string | null): StatusResult => ({
  generation: 1,
  complete: true,
  degraded: [],
  refused: [],
  roots: [{ ...root, paused_until }],
  sessions: 1,
  watcher: 'client',
  version: '0.1.0',
});
const commands = (...args: Parameters<typeof placeholderOf>) => {
  const { words, rows } = placeholderOf(...args);
  return [words, ...rows.map((row) => row.kind === 'command' && row.command.split('.')[1])];
};

test('where nothing is in play, the view says what there is and what can be done', () => {
  assert.deepEqual(commands('ready', 'something', status(null), ''), [
    'Nothing in play. 1 entity, 2 claims.',
    'findExperts',
    'newPrompt',
    'changedThisWeek',
  ]);
  assert.deepEqual(commands('ready', 'nothing', status(null), ''), ['']);
  assert.deepEqual(commands('loading', '', status(null), '/set'), ['']);
});

test('where it is paused, the view says until when, and resumes', () => {
  const [words, ...rows] = commands('ready', 'something', status('2100-01-01T00:00:00Z'), '');
  assert.match(`${words}`, /^Paused until it is resumed/);
  assert.deepEqual(rows, ['resume']);
});

test('where a path was set in vain, it is named, and can be cleared', () => {
  const [words, ...rows] = commands('noServer', '', undefined, '/gone');
  assert.match(`${words}`, /names no server that runs: \/gone$/);
  assert.deepEqual(rows, ['clearPath', 'changePath', 'showLogs']);
  assert.deepEqual(commands('noServer', '', undefined, ''), ['']);
});
