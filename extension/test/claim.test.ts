import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf, escaped, isWeb, notShown } from '../src/claim/content';
import type { Citation, ClaimResult } from '../src/protocol.gen';
import { claim } from './helpers';

const cited = (more: Partial<Citation> = {}): Citation => ({
  id: 'e1',
  kind: 'evidence',
  source_id: 's',
  title: 'Runbook',
  locator: 'L3',
  quote: 'Drain first.',
  document: 'file:///repo/docs/runbook.md#L3',
  fresh: 'there',
  uri: 'file:///kb/.vouch/evidence/e1.yaml',
  ...more,
});

const result = (more: Partial<ClaimResult> = {}): ClaimResult => ({
  generation: 1,
  complete: true,
  degraded: [],
  claim: claim('c', { status: 'stable', citations: [cited()] }),
  approved_by: 'ada',
  auto_approved: false,
  contested_by: [],
  people: [],
  pages: [],
  relations: [],
  collection: 'kb',
  ...more,
});

const htmlOf = (about: ClaimResult) => contentOf(about).html;

/** The lines of a claim as they are read. */
const read = (about: ClaimResult) =>
  [...htmlOf(about).matchAll(/<dt>(.*?)<\/dt><dd.*?>(.*?)<\/dd>/g)].map(([, label, shown = '']) => [
    label,
    shown.replaceAll(/<[^>]*>/g, ''),
  ]);

test('a claim in full: source at its line, date, who approved it, its file', () => {
  const { links } = contentOf(result());
  assert.match(htmlOf(result()), /^<p>Text of c<\/p>/);
  assert.match(
    htmlOf(result()),
    /<a href="command:vouchSidecar.openClaimLink\?0">Runbook · L3<\/a>/,
  );
  assert.deepEqual(read(result()), [
    ['Source', 'Runbook · L3 “Drain first.”'],
    ['Status', 'working · confidence 0.70 · 2026-06-30'],
    ['Approved by', 'ada'],
    ['File', 'c'],
  ]);
  assert.deepEqual(links, [
    {
      kind: 'place',
      target: ['file:///repo/docs/runbook.md#L3', 'file:///kb/.vouch/evidence/e1.yaml'],
    },
    { kind: 'place', target: ['file:///kb/.vouch/claims/c.yaml'] },
  ]);
});

test('what speaks against a claim comes first; whom to ask is named', () => {
  const about = result({
    claim: claim('c', {
      status: 'contested',
      stale: 'the quote is gone from a.py',
      facts: 'contested · stale',
      lacks_context: true,
    }),
    auto_approved: true,
    contested_by: [claim('other', { said: 'It is not so.' })],
    people: [
      {
        entity_id: 'mei',
        name: 'Mei Tanaka',
        type: 'person',
        via: null,
        claim_count: 2,
        relation: null,
        said: '2 claims',
      },
    ],
    by_commits: ['Ada Byron', 'Mei Tanaka'].map((name) => ({
      ...{ name, commits: 3, last: '2026-01-01', files: 1, paths: [] },
    })),
  });
  assert.deepEqual(read(about), [
    ['Context', 'not shown; it may turn this round'],
    ['Contested by', 'It is not so.'],
    ['Status', 'contested · stale'],
    ['Approved by', 'its receipt, no person'],
    ['Ask', 'Mei Tanaka (2 claims) · Ada Byron (3 commits)'],
    ['File', 'c'],
  ]);
  const [first] = contentOf(about).links;
  assert.deepEqual(first, { kind: 'claim', claim: { id: 'other', collection: 'kb' } });
});

test('code stands apart; nothing turns, hides, breaks the line or is read as HTML', () => {
  const said =
    'Ask `poll()`\n first, \u202ethen\u200b `<x>` or a ` alone. <b onclick="x">no</b> &amp;';
  const html = htmlOf(result({ claim: claim('c', { said }) }));
  assert.match(
    html,
    /^<p>Ask <code>poll\(\)<\/code> first, then <code>&lt;x&gt;<\/code> or a ` alone. &lt;b onclick=&quot;x&quot;&gt;no&lt;\/b&gt; &amp;amp;<\/p>/,
  );
  assert.equal(escaped(`'`), '&#39;');
});

test('each source can be reached: its record where no document is there, the rest in the file', () => {
  const missing = { document: null, uri: null, title: null, locator: null, source_id: null };
  const first = [
    cited({ document: null, locator: null, quote: null, source_id: 'record' }),
    cited({ ...missing, id: 'lost', kind: 'missing', quote: null }),
  ];
  const others = Array.from({ length: 8 }, (_, at) =>
    cited({ quote: null, source_id: `s${at}`, title: `Notes ${at}` }),
  );
  const about = result({ claim: claim('c', { citations: [...first, ...others] }) });
  const { links } = contentOf(about);
  const lines = read(about);
  assert.deepEqual(lines.slice(0, 2), [
    ['Source', 'Runbook'],
    ['', 'lost · missing'],
  ]);
  assert.equal(lines.filter(([label]) => label === 'Status').length, 1);
  const uris = links.map((link) => link.kind === 'place' && link.target);
  assert.deepEqual(uris[0], ['file:///kb/.vouch/evidence/e1.yaml']);
  assert.equal(links.length, 1 + 5 + 1, 'the missing one leads nowhere');
  assert.deepEqual(uris.at(-1), ['file:///kb/.vouch/claims/c.yaml']);
});

test('of what lies outside only https is a link', () => {
  const at = (locator: string, kind: Citation['kind'] = 'source') =>
    contentOf(
      result({
        claim: claim('c', { citations: [cited({ document: null, quote: null, locator, kind })] }),
      }),
    ).links[0]?.kind;
  assert.equal(at('https://example.org/a#b'), 'web');
  for (const locator of [
    'http://example.org',
    'command:workbench.action.quit',
    'javascript:alert(1)',
    'https://a b',
    'https://',
  ]) {
    assert.equal(at(locator), 'place', locator); // its record
    assert.equal(isWeb(locator), false);
  }
});

test('of a claim that is gone it is said in words for readers, and what came after it', () => {
  const gone = 'id names no claim that may be shown; the nearest: relay-p99';
  assert.equal(notShown(gone), 'This claim is not shown any more.');
  const old = 'id names a claim that is superseded by cutoff-1900';
  assert.equal(notShown(old), 'This claim is superseded by cutoff-1900');
  assert.equal(notShown('The server is gone.'), 'The server is gone.');
});
