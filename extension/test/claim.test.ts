import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf, isWeb } from '../src/claim/content';
import { isFromPage, isShow } from '../src/claim/messages';
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

/** The lines of a claim, with where each link leads. */
const read = (about: ClaimResult) =>
  contentOf(about).content.lines.map(({ label, pieces }) => [
    label,
    pieces.map(({ text }) => text).join(''),
  ]);

test('a claim in full: source at its line, date, who approved it, its file', () => {
  const { content, links } = contentOf(result());
  assert.deepEqual(content.text, [{ text: 'Text of c' }]);
  assert.deepEqual(read(result()), [
    ['Source', 'Runbook · L3 “Drain first.”'],
    ['Date', '2026-06-30'],
    ['Confidence', '0.70'],
    ['Approved by', 'ada'],
    ['File', 'c'],
  ]);
  assert.deepEqual(links, [
    {
      kind: 'place',
      target: {
        uris: ['file:///repo/docs/runbook.md#L3', 'file:///kb/.vouch/evidence/e1.yaml'],
        locator: 'L3',
        passages: ['Drain first.'],
      },
    },
    {
      kind: 'place',
      target: { uris: ['file:///kb/.vouch/claims/c.yaml'], passages: ['Text of c', 'text:'] },
    },
  ]);
});

test('what speaks against a claim comes first; whom to ask is named', () => {
  const about = result({
    claim: claim('c', {
      status: 'contested',
      stale: 'the quote is gone from a.py',
      lacks_context: true,
    }),
    auto_approved: true,
    contested_by: [{ id: 'other', said: 'It is not so.', uri: 'file:///kb/o.yaml' }],
    people: [
      {
        entity_id: 'mei',
        name: 'Mei Tanaka',
        type: 'person',
        via: null,
        claim_count: 2,
        relation: null,
      },
    ],
    by_commits: [{ name: 'Ada Byron', commits: 3, last: '2026-01-01', files: 1, paths: [] }],
  });
  assert.deepEqual(read(about), [
    ['Context', 'not shown; it may turn this round'],
    ['Stale', 'the quote is gone from a.py'],
    ['Contested by', 'It is not so.'],
    ['Date', '2026-06-30'],
    ['Status', 'contested'],
    ['Confidence', '0.70'],
    ['Approved by', 'its receipt, no person'],
    ['Ask', 'Mei Tanaka (2 claims) · Ada Byron (3 commits)'],
    ['File', 'c'],
  ]);
  const [first] = contentOf(about).links;
  assert.deepEqual(first, { kind: 'claim', claim: { id: 'other', collection: 'kb' } });
});

test('code stands apart; nothing turns, hides or breaks the line', () => {
  const said = 'Ask `poll()`\n first, \u202ethen\u200b `x` or a ` alone. <b>no</b>';
  const { content } = contentOf(result({ claim: claim('c', { said }) }));
  assert.deepEqual(content.text, [
    { text: 'Ask ' },
    { text: 'poll()', isCode: true },
    { text: ' first, then ' },
    { text: 'x', isCode: true },
    { text: ' or a ` alone. <b>no</b>' },
  ]);
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
  assert.deepEqual(lines[7], ['', '3 more']);
  const uris = links.map((link) => link.kind === 'place' && link.target.uris);
  assert.deepEqual(uris[0], ['file:///kb/.vouch/evidence/e1.yaml']);
  assert.equal(links.length, 1 + 5 + 2, 'the missing one leads nowhere');
  assert.deepEqual(uris.at(-2), ['file:///kb/.vouch/claims/c.yaml']);
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

test('messages are a closed list', () => {
  const show = { type: 'show', serial: 1, content: contentOf(result()).content };
  assert.ok(isShow(show) && isShow({ ...show, content: null }));
  for (const bad of [
    null,
    'show',
    {},
    { ...show, serial: 1.5 },
    { ...show, content: { text: [{ text: 1 }], lines: [] } },
    { ...show, content: { text: [], lines: [{ label: 'x', pieces: 'x' }] } },
    { ...show, type: 'html' },
  ]) {
    assert.equal(isShow(bad), false, JSON.stringify(bad));
  }
  assert.ok(isFromPage({ type: 'ready' }) && isFromPage({ type: 'held', held: false }));
  assert.ok(isFromPage({ type: 'open', serial: 1, link: 0 }));
  for (const bad of [
    undefined,
    { type: 'open', serial: 1 },
    { type: 'open', serial: 1, link: 'file:///etc/passwd' },
    { type: 'held', held: 1 },
    { type: 'run', command: 'x' },
  ]) {
    assert.equal(isFromPage(bad), false, JSON.stringify(bad));
  }
});
