import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusResult } from '../src/protocol.gen';
import {
  allCountsOf,
  holdsOf,
  inBar,
  isIdle,
  nothingInPlay,
  pausedUntil,
  type State,
  summarize,
} from '../src/status/summary';

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

test('what is served stands in one line, with the last problem', () => {
  const summary = summarize('ready', status, undefined);
  assert.equal(summary.text, 'Vouch');
  assert.equal(summary.detail, '1 entity, 12 claims · 1 problem · is not YAML');
  assert.equal(summary.severity, 'information');
});

test('a pause says until when, where every knowledge base is paused', () => {
  const paused = (...ends: (string | null)[]): StatusResult => ({
    ...status,
    roots: ends.flatMap((end) => status.roots.map((root) => ({ ...root, paused_until: end }))),
  });
  const open = paused('2100-01-01T00:00:00+00:00');
  assert.equal(summarize('ready', open, undefined).text, 'Vouch: paused');
  assert.equal(summarize('ready', open, undefined).detail, 'until it is resumed');
  assert.match(pausedUntil(paused('2026-07-01T10:30:00+00:00')) ?? '', /^until .*:30/);
  assert.equal(pausedUntil(paused('2026-07-01T10:30:00+00:00', null)), undefined);
  assert.equal(pausedUntil({ ...status, roots: [] }), undefined);
});

test('whether there is anything to show, and whether it can be read', () => {
  const counts = { claims: 0, entities: 0, pages: 0, relations: 0, sources: 0, evidence: 0 };
  const holding = (more: object) =>
    holdsOf({
      ...status,
      roots: status.roots.map((root) => ({
        ...root,
        counts: { ...counts, ...more },
        unusable,
      })),
    });
  let unusable = 0;
  assert.equal(holding({}), 'nothing');
  assert.equal(holding({ sources: 3 }), 'nothing');
  assert.equal(holding({ pages: 1 }), 'something');
  assert.equal(holding({ entities: 1 }), 'something');
  unusable = 10_000;
  assert.equal(holding({ entities: 1 }), 'unreadable');
  assert.equal(holding({ claims: 1 }), 'something');
});

test('where nothing is in play the line says what there is', () => {
  assert.equal(nothingInPlay(status), 'Nothing in play. 1 entity, 12 claims.');
  const [root] = status.roots;
  const counts = { claims: 84, entities: 0, pages: 0, relations: 0, sources: 3, evidence: 9 };
  const undeclared = { ...status, roots: root ? [{ ...root, topics: 38, counts }] : [] };
  assert.equal(nothingInPlay(undeclared), 'Nothing in play. 38 topics, 84 claims.');
});

test('one of a kind is not several', () => {
  const counts = { claims: 1, entities: 1, pages: 2, relations: 0, sources: 1, evidence: 1 };
  const words = '1 claim · 1 entity · 2 pages · 0 relations · 1 source · 1 evidence';
  assert.equal(allCountsOf(counts), words);
});

test('what the server says of its health counts', () => {
  const health = {
    health: 'warning',
    quiescent: true,
    message: 'watch lost',
    generation: 9,
  } as const;
  const summary = summarize('ready', status, health);
  assert.equal(summary.severity, 'warning');
  assert.match(summary.detail, /^1 entity, 12 claims.* · watch lost$/);
});

test('the only knowledge base is one that is refused: that is said', () => {
  const refused = { ...status, roots: [], refused: ['.vouch belongs to root'] };
  const { severity, detail } = summarize('none', refused, undefined);
  assert.deepEqual([severity, detail], ['warning', '.vouch belongs to root']);
});

test('the status bar tells each state from the others', () => {
  const states: State[] = ['loading', 'noServer', 'stopped', 'restricted', 'ready'];
  assert.deepEqual(
    states.map((state) => {
      const { text, tooltip, accessibilityInformation } = inBar(
        summarize(state, undefined, undefined),
      );
      assert.equal(accessibilityInformation.label, tooltip);
      return [text, tooltip];
    }),
    [
      ['$(loading~spin) Vouch', 'Vouch · reading the knowledge base'],
      ['$(error) Vouch: no server', 'Vouch: no server'],
      ['$(error) Vouch: stopped', 'Vouch: stopped'],
      ['$(warning) Vouch: no server', 'Vouch: no server · Restricted Mode'],
      ['$(library) Vouch', 'Vouch'],
    ],
  );
});

test('a server that is missing or has stopped is an error, no knowledge base is none', () => {
  assert.equal(summarize('noServer', undefined, undefined).severity, 'error');
  assert.equal(summarize('stopped', undefined, undefined).severity, 'error');
  assert.equal(summarize('none', undefined, undefined).severity, 'information');
  assert.deepEqual(
    ['loading', 'ready', 'none', 'restricted'].map((s) => isIdle(s as State)),
    [false, false, true, true],
  );
});
