import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusResult } from '../src/protocol.gen';
import {
  holdsOf,
  isIdle,
  pausedUntil,
  placeholderOf,
  type State,
  stateOf,
  summarize,
} from '../src/status/state';

const status: StatusResult = {
  generation: 7,
  complete: true,
  degraded: [],
  refused: [],
  roots: [
    {
      root: '/home/me/secret-project',
      collection: 'secret-name',
      counts: { claims: 12, entities: 1, pages: 0, relations: 3, sources: 2, evidence: 4 },
      unusable: 1,
      problems: [
        {
          path: 'claims/a-claim-in-words.yaml',
          line: 1,
          column: 1,
          field: null,
          severity: 'error',
          code: 'invalid',
          message: 'is not YAML',
        },
      ],
      indexed_at: null,
      paused_until: null,
    },
  ],
  sessions: 1,
  watcher: 'client',
  version: '0.1.0',
};

const ready = (more: Partial<StatusResult> = {}): State => ({
  kind: 'ready',
  status: { ...status, ...more },
});
const NO_SERVER: State = { kind: 'noServer', path: '' };

test('what is served stands in one line, with the last problem', () => {
  const summary = summarize(ready(), undefined);
  assert.equal(summary.text, 'Vouch');
  assert.equal(summary.detail, '1 entity, 12 claims · 1 problem · is not YAML');
  assert.equal(summary.severity, 'information');
});

test('an answer says whether it is read, whether there is any, and whether it is refused', () => {
  assert.equal(stateOf({ ...status, complete: false }).kind, 'loading');
  assert.equal(stateOf(status).kind, 'ready');
  const refused = stateOf({ ...status, roots: [], refused: ['.vouch belongs to root'] });
  const { severity, detail } = summarize(refused, undefined);
  assert.deepEqual([severity, detail], ['warning', '.vouch belongs to root']);
});

const paused = (...ends: (string | null)[]): State =>
  ready({
    roots: ends.flatMap((end) => status.roots.map((root) => ({ ...root, paused_until: end }))),
  });

test('a pause says until when, where every knowledge base is paused', () => {
  const open = paused('2100-01-01T00:00:00+00:00');
  assert.equal(summarize(open, undefined).text, 'Vouch: paused');
  assert.equal(summarize(open, undefined).detail, 'until it is resumed');
  assert.match(pausedUntil(paused('2026-07-01T10:30:00+00:00')) ?? '', /^until .*:30/);
  assert.equal(pausedUntil(paused('2026-07-01T10:30:00+00:00', null)), undefined);
  assert.equal(pausedUntil(ready({ roots: [] })), undefined);
});

test('whether there is anything to show, and whether it can be read', () => {
  const counts = { claims: 0, entities: 0, pages: 0, relations: 0, sources: 0, evidence: 0 };
  const holding = (more: object, unusable = 0) =>
    holdsOf(
      ready({
        roots: status.roots.map((root) => ({ ...root, counts: { ...counts, ...more }, unusable })),
      }),
    );
  assert.equal(holding({}), 'nothing');
  assert.equal(holding({ sources: 3 }), 'nothing');
  assert.equal(holding({ pages: 1 }), 'something');
  assert.equal(holding({ entities: 1 }), 'something');
  assert.equal(holding({ entities: 1 }, 10_000), 'unreadable');
  assert.equal(holding({ claims: 1 }, 10_000), 'something');
  assert.equal(holdsOf(NO_SERVER), '');
});

test('what the server says of its health counts', () => {
  const health = {
    health: 'warning',
    quiescent: true,
    message: 'watch lost',
    generation: 9,
  } as const;
  const summary = summarize(ready(), health);
  assert.equal(summary.severity, 'warning');
  assert.match(summary.detail, /^1 entity, 12 claims.* · watch lost$/);
});

test('each state is told from the others', () => {
  const states: State[] = [
    { kind: 'loading' },
    NO_SERVER,
    { kind: 'stopped' },
    { kind: 'restricted' },
    { kind: 'none', refused: [] },
  ];
  const told = states.map((state) => {
    const { text, detail, severity } = summarize(state, undefined);
    return [text, detail, severity, isIdle(state)];
  });
  assert.deepEqual(told, [
    ['Vouch', 'reading the knowledge base', 'information', false],
    ['Vouch: no server', '', 'error', true],
    ['Vouch: stopped', '', 'error', true],
    ['Vouch: no server', 'Restricted Mode', 'warning', true],
    ['Vouch', 'no knowledge base', 'information', true],
  ]);
});

const offered = (state: State) => {
  const { words, rows } = placeholderOf(state);
  return [words, ...rows.map(({ command }) => command?.split('.')[1])];
};

test('where nothing is in play, the view says what will come, what there is and what can be done', () => {
  const [words, ...rows] = offered(ready());
  assert.match(`${words}`, /^Nothing in play\. What you write about.* 1 entity, 12 claims\.$/);
  assert.deepEqual(rows, ['findExperts', 'newPrompt', 'changedThisWeek']);
  assert.deepEqual(offered(ready({ roots: [] })), ['']);
  assert.deepEqual(offered({ kind: 'loading' }), ['']);
});

test('where it is paused, the view says until when, and resumes', () => {
  const [words, ...rows] = offered(paused('2100-01-01T00:00:00Z'));
  assert.match(`${words}`, /^Paused until it is resumed/);
  assert.deepEqual(rows, ['resume']);
});

test('where a path was set in vain, it is named, and can be cleared', () => {
  const [words, ...rows] = offered({ kind: 'noServer', path: '/gone' });
  assert.match(`${words}`, /names no server that runs: \/gone$/);
  assert.deepEqual(rows, ['clearPath', 'changePath', 'showLogs']);
  assert.deepEqual(offered(NO_SERVER), ['']);
});
