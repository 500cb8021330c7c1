import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainedExpert, explainedRow, explainedText } from '../src/explain/explanations';
import type { ExplainResult } from '../src/protocol.gen';
import { expert } from './helpers';

const NOTHING = { generation: 1, complete: true, degraded: [], entities: [], texts: [] } as const;

test('an explanation says of each candidate what became of it, and by which figures', () => {
  const result: ExplainResult = {
    ...NOTHING,
    entities: [
      {
        entity_id: 'relay',
        name: 'Relay\nnode',
        strength: 0.8,
        factors: { arm: 1 },
        verdict: 'volunteered',
        why: '“Relay” names “Relay”: 0.80',
      },
    ],
    texts: [
      {
        kind: 'claim',
        id: 'c1',
        similarity: 0.31,
        factors: {},
        verdict: 'refused',
        why: '0.31, needs 0.40: only “x” in common',
      },
    ],
  };
  const lines = explainedText('Restart\n Relay?', result).split('\n').filter(Boolean);
  assert.deepEqual(lines, [
    'What this text brings in',
    '  “Restart Relay?”',
    'Entities',
    '  volunteered · Relay node (relay) · 0.8',
    '    “Relay” names “Relay”: 0.80 · arm 1',
    'Claims and pages',
    '  refused · claim c1 · 0.31',
    '    0.31, needs 0.40: only “x” in common',
  ]);
  assert.match(explainedText('x', NOTHING), /It names none\.[\s\S]*None holds enough/);
});

test('the steps of a window stand below each other', () => {
  assert.equal(explainedRow('Relay', 'a; b'), 'Relay is in play\n\n  a\n  b\n');
});

test('an expert is explained by formula, factors and claims', () => {
  const explain = {
    weight: 'recency',
    formula: 'sum',
    factors: { sum: 1.23456 },
    named: false,
    claims: [
      {
        claim_id: 'c1',
        contribution: 0.5,
        factors: { age: 0.5 },
        coverage: 1,
        matched: ['relay'],
        arm: 'text',
        link: 'page',
      },
    ],
  } as const;
  const text = explainedExpert('restart', expert('a', 1.23456, { explain }));
  assert.match(
    text,
    /^A on “restart”\n\n {2}score 1\.235: 3 claims, 2 citations\n {2}recency: sum\n {2}sum 1\.235\n/,
  );
  assert.match(text, /c1 · 0\.5\n {4}age 0\.5 · holds “relay” · linked: page/);
});
