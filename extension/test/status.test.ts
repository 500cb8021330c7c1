import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { StatusResult } from '../src/protocol.gen';
import { hasNames, isIdle, kindOf, pausedUntil, type State, summarize } from '../src/status/state';

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
  watcher: 'own',
  version: '0.1.0',
};

const stateOf = (of: StatusResult): State => ({ kind: kindOf(of), status: of });
const ready = (more: Partial<StatusResult> = {}): State => stateOf({ ...status, ...more });

test('what is served stands in one line, with the last problem', () => {
  const summary = summarize(ready());
  assert.equal(summary.text, 'Vouch');
  assert.equal(summary.detail, '1 entity · 12 claims · 0 pages · 1 problem · is not YAML');
  assert.equal(summary.severity, 'information');
  const hints = status.roots.map((root) => ({
    ...root,
    problems: root.problems.map((problem) => ({ ...problem, severity: 'hint' as const })),
  }));
  assert.equal(summarize(ready({ roots: hints })).detail, '1 entity · 12 claims · 0 pages');
});

test('an answer says whether it is read, whether there is any, and whether it is refused', () => {
  assert.equal(stateOf({ ...status, complete: false }).kind, 'loading');
  assert.equal(stateOf(status).kind, 'ready');
  const refused = stateOf({ ...status, roots: [], refused: ['.vouch belongs to root'] });
  const { severity, detail } = summarize(refused);
  assert.deepEqual([severity, detail], ['warning', '.vouch belongs to root']);
});

test('claims alone are named by nothing that is written', () => {
  const [root] = status.roots;
  assert.ok(root);
  const bare = { ...root, counts: { ...root.counts, entities: 0 } };
  const served = (...roots: StatusResult['roots']) => hasNames({ ...status, roots });
  assert.deepEqual([served(bare), served({ ...bare, topics: 2 })], [false, true]);
  assert.ok(served(bare, root));
  assert.ok(hasNames({ ...status, roots: [bare], degraded: ['workspace_pending'] }));
});

const paused = (...ends: (string | null)[]): State =>
  ready({
    roots: ends.flatMap((end) => status.roots.map((root) => ({ ...root, paused_until: end }))),
  });

test('a pause says until when, where every knowledge base is paused', () => {
  const open = paused('2100-01-01T00:00:00+00:00');
  assert.equal(open.kind, 'paused');
  assert.equal(summarize(open).text, 'Vouch: paused');
  assert.equal(summarize(open).detail, 'until it is resumed');
  const { status: until } = paused('2026-07-01T10:30:00+00:00', '2100-01-01T00:00:00+00:00');
  assert.match(pausedUntil(until as StatusResult), /^until .*:30/);
  assert.equal(pausedUntil(status), '');
});

test('where some knowledge bases are paused, it says so; the server says which', () => {
  const one = paused('2100-01-01T00:00:00+00:00', null);
  assert.equal(one.kind, 'ready');
  assert.equal(summarize(one).text, 'Vouch: partly paused');
  assert.equal(pausedUntil(one.status as StatusResult), 'until it is resumed');
});

test('whether there is anything to show, and whether it can be read', () => {
  const counts = { claims: 0, entities: 0, pages: 0, relations: 0, sources: 0, evidence: 0 };
  const holding = (more: object, unusable = 0, problems = status.roots[0]?.problems ?? []) => {
    const root = { counts: { ...counts, ...more }, unusable, problems };
    return ready({ roots: status.roots.map((each) => ({ ...each, ...root })) }).kind;
  };
  assert.equal(holding({}), 'nothing');
  assert.equal(holding({ sources: 3 }), 'nothing');
  assert.equal(holding({ pages: 1 }), 'ready');
  assert.equal(holding({ entities: 1 }), 'ready');
  assert.equal(holding({ entities: 1 }, 10_000), 'unreadable');
  assert.equal(holding({ claims: 1 }, 10_000), 'ready');
  const problem = { path: '', line: 1, severity: 'error', code: 'invalid', message: '' } as const;
  assert.equal(holding({}, 0, [problem]), 'unreadable', 'nothing is said after a minute of faults');
  for (const other of [{ code: 'setting' }, { severity: 'warning' as const }])
    assert.equal(holding({}, 0, [{ ...problem, ...other }]), 'nothing');
});

test('what the server says of its health counts', () => {
  const health = {
    health: 'warning',
    quiescent: true,
    message: 'watch lost',
    generation: 9,
  } as const;
  const summary = summarize({ ...ready(), health });
  assert.equal(summary.severity, 'warning');
  assert.match(summary.detail, /^1 entity · 12 claims.* · watch lost$/);
});

test('beside a knowledge base that is read, one whose first look fails is not waited for', () => {
  const answer = { ...status, complete: false };
  const health = { health: 'warning', message: 'looks fail', generation: 9 } as const;
  const [told, read] = [true, false].map((quiescent) => ({ ...health, quiescent }));
  assert.equal(kindOf(answer, read), 'loading');
  assert.equal(kindOf(answer, told), 'ready');
  assert.match(summarize({ kind: 'ready', status: answer, health: told }).detail, /looks fail$/);
  const counts = { claims: 0, entities: 0, pages: 0, relations: 0, sources: 0, evidence: 0 };
  const roots = status.roots.map((root) => ({ ...root, counts, unusable: 0 }));
  assert.equal(kindOf({ ...answer, roots }, told), 'unreadable', 'it is not empty');
});

test('each state is told from the others', () => {
  const states: State[] = [
    { kind: 'loading' },
    { kind: 'noServer' },
    { kind: 'wrongPath' },
    { kind: 'stopped' },
    { kind: 'restricted' },
    { kind: 'none' },
  ];
  const told = states.map((state) => {
    const { text, detail, severity } = summarize(state);
    return [text, detail, severity, isIdle(state)];
  });
  assert.deepEqual(told, [
    ['Vouch', 'reading the knowledge base', 'information', false],
    ['Vouch: no server', '', 'error', true],
    ['Vouch: no server', '', 'error', true],
    ['Vouch: stopped', '', 'error', true],
    ['Vouch: no server', 'Restricted Mode', 'warning', true],
    ['Vouch', 'no knowledge base', 'information', true],
  ]);
});

test('where a view is empty, each state has its words', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const welcomes: { view: string; when: string }[] = manifest.contributes.viewsWelcome;
  const words = welcomes.filter(({ view }) => view === 'vouchSidecar.inPlay');
  for (const kind of KINDS) {
    const whens = words.filter(({ when }) => when.endsWith(`vouchSidecar.state == ${kind}`));
    assert.equal(whens.length, kind === 'ready' ? 2 : 1, kind); // with names, and without
  }
});

const KINDS: State['kind'][] = [
  ...(['loading', 'none', 'refused', 'restricted', 'noServer', 'wrongPath', 'stopped'] as const),
  ...(['paused', 'nothing', 'unreadable', 'ready'] as const),
];
