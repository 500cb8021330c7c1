import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Experts, headline, remember } from '../src/experts/expertsView';
import { InFile, type VisiblePart } from '../src/inFile/inFileView';
import { Dismissals } from '../src/inFile/tiedRows';
import { blockRows, InPlay, newestFirst } from '../src/inPlay/inPlayView';
import type { AuthorRow, EntityResult, ExpertRow, TiedClaim } from '../src/protocol.gen';
import { type Ask, targetOf } from '../src/tree/ask';
import { claimNode, claimNodes } from '../src/tree/claims';
import { ClickGuard } from '../src/tree/clickGuard';
import {
  type ClaimRef,
  commandNode,
  type EntityNode,
  entityNode,
  keyOf,
  type Node,
} from '../src/tree/nodes';
import { steadyOrder } from '../src/tree/rows';
import { claim, entity, expert, salient, tied } from './helpers';

const below = (node: Node | undefined) => (node?.kind === 'list' ? node.children : []);
const targetIn = (node: Node | undefined) => (node && 'target' in node ? node.target : undefined);
const commandOf = (node: Node | undefined) => node?.kind === 'command' && node.command;

const names = (nodes: readonly Node[]) => nodes.map(({ label }) => label);

function inPlay(answers: Record<string, EntityResult> = {}) {
  const drawn: (readonly Node[] | undefined)[] = [];
  const asked: string[] = [];
  const ask = (async (_: string, params: { id: string }) => {
    asked.push(params.id);
    const answer = answers[params.id];
    if (!answer) throw new Error('there is none');
    return answer;
  }) as unknown as Ask;
  const instead = () => [commandNode('Find Experts', 'find')];
  const model = new InPlay(ask, (changed) => drawn.push(changed), instead);
  return { model, drawn, asked, answers };
}

test('a ranking shows as it is ranked', () => {
  const { model, drawn } = inPlay();
  model.rank([salient('a'), salient('b')]);
  assert.deepEqual(names(model.roots), ['A', 'B']);
  model.rank([salient('b'), salient('a')]);
  assert.deepEqual(names(model.roots), ['B', 'A']);
  assert.deepEqual(drawn, [undefined, undefined], 'all of it');
});

test('the same ranking again draws nothing, a changed row draws that row alone', () => {
  const { model, drawn } = inPlay();
  model.rank([salient('a'), salient('b')]);
  drawn.length = 0;
  model.rank([salient('a'), salient('b')]);
  assert.deepEqual(drawn, []);
  model.rank([salient('a'), salient('b', { claim_count: 9 })]);
  assert.deepEqual(drawn, [[model.roots[1]]]);
});

test('rows that somebody uses are not redrawn from under the next click', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let drawn = 0;
  const guard = new ClickGuard(() => {
    drawn += 1;
  });
  guard.redraw();
  guard.touched();
  guard.redraw();
  context.mock.timers.tick(400);
  guard.touched();
  guard.redraw();
  assert.equal(drawn, 1);
  context.mock.timers.tick(100);
  assert.equal(drawn, 2);
  guard.touched();
  context.mock.timers.tick(500);
  assert.equal(drawn, 2, 'nothing waited');
});

test('of rows that wait, these alone are drawn, unless all of them are to be', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const drawn: (readonly Node[] | undefined)[] = [];
  const guard = new ClickGuard((changed) => drawn.push(changed));
  const [a, b] = [commandNode('A', 'a'), commandNode('B', 'b')];
  for (const waiting of [
    [[a], [b]],
    [[a], undefined, [b]],
  ]) {
    guard.touched();
    for (const changed of waiting) guard.redraw(changed);
    context.mock.timers.tick(500);
  }
  assert.deepEqual(drawn, [[a, b], undefined]);
});

test('while a row is open nothing moves: newcomers come last, what is open stays', () => {
  const { model } = inPlay();
  model.rank([salient('a'), salient('b')]);
  model.expanded(model.roots[1] as Node, true);
  model.rank([salient('c'), salient('b'), salient('a')]);
  assert.deepEqual(names(model.roots), ['A', 'B', 'C']);
  model.rank([salient('c')]);
  assert.deepEqual(names(model.roots), ['A', 'B', 'C'], 'what goes above it would move it');
  assert.match(model.roots[0]?.description ?? '', /no longer in play/);
  assert.match(model.roots[1]?.description ?? '', /no longer in play/);
  model.expanded(model.roots[1] as Node, false);
  model.rank([salient('d'), salient('c')]);
  assert.deepEqual(names(model.roots), ['D', 'C']);
});

test('a topic that is hidden goes at once, though it or a row below it is open', () => {
  const { model } = inPlay();
  model.rank([salient('a'), salient('b'), salient('c')]);
  for (const row of model.roots.slice(0, 2)) model.expanded(row, true);
  model.hide(model.roots[0] as EntityNode);
  assert.deepEqual(names(model.roots), ['B', 'C']);
  model.rank([salient('a'), salient('b')]); // who hid it is quicker than the server
  model.rank([salient('b')]);
  assert.deepEqual(names(model.roots), ['B'], 'it is not open any more');
});

test('an empty ranking empties, whatever is open, for what stands instead', () => {
  const { model } = inPlay();
  model.rank([salient('a')]);
  model.expanded(model.roots[0] as Node, true);
  model.rank([]);
  assert.deepEqual(names(model.roots), ['Find Experts']);
  assert.ok(model.isEmpty);
  model.rank([salient('b'), salient('a')]);
  model.rank([salient('a'), salient('b')]);
  assert.deepEqual(names(model.roots), ['A', 'B'], 'a row that went is not open when it returns');
});

test('the names of the newest sentence come first, then the others as they are ranked', () => {
  const rows = [salient('a'), salient('b', { newest: true }), salient('c')];
  assert.deepEqual(
    newestFirst(rows).map(({ entity_id }) => entity_id),
    ['b', 'a', 'c'],
  );
});

test('the lines that a block would hold stand behind what is in play, each sentence once', async () => {
  const asked: unknown[] = [];
  const ask = (async (_: string, params: { id: string }, collection: string) => {
    asked.push([params, collection]);
    const said = params.id === 'c3' ? 'Text of c3' : 'One sentence.';
    return { claim: claim(params.id, { said, said_with: ['c1', 'c2'] }) };
  }) as unknown as Ask;
  const item = {
    entity_id: null,
    collection: 'kb',
    phrase: '',
    similarity: 1,
    arm: 'text',
    said: '',
    uri: null,
  } as const;
  const items = ['c1', 'c2', 'c3'].map((id) => ({ ...item, kind: 'claim' as const, id }));
  const uri = 'file:///kb/.vouch/pages/p.md';
  const page = { ...item, kind: 'page' as const, id: 'p', said: 'Night shift', uri };
  const relation = { ...item, kind: 'relation' as const, id: 'r', said: 'a owns b' };
  const all = [...items, page, relation];
  const claims = await blockRows(ask, all);
  const lines = ['One sentence.', 'Text of c3', 'Night shift', 'a owns b'];
  assert.deepEqual(names(claims), lines);
  assert.deepEqual(claims.map((row) => 'target' in row && row.target.uris[0]).slice(2), [
    uri,
    false,
  ]);
  assert.deepEqual(asked[0], [{ id: 'c1' }, 'kb']);
  const { model } = inPlay();
  model.holdBlock(claims);
  assert.equal(model.isEmpty, false);
  model.rank([salient('a')]);
  assert.deepEqual(names(model.roots), ['A', 'For a prompt']);
  assert.deepEqual(names(below(model.roots[1])), lines);
  model.holdBlock([]);
  assert.deepEqual(names(model.roots), ['A']);
});

test('an open entity shows why it is in play, then its top claim, then the others', async () => {
  const { model, asked } = inPlay({ a: entity('a', [claim('c1'), claim('c2')]) });
  model.rank([salient('a', { top_claim_id: 'c2', matched: ['the A'] })]);
  const rows = await model.children(model.roots[0] as Node);
  assert.deepEqual(names(rows), ['“the A”', 'Text of c2', 'Text of c1']);
  await model.children(model.roots[0] as Node);
  assert.deepEqual(asked, ['a'], 'asked once');
});

test('where the knowledge changes, what is beneath an open row is asked for again', async () => {
  const { model, drawn, asked, answers } = inPlay({ a: entity('a', [claim('c1')]) });
  model.rank([salient('a')]);
  const row = model.roots[0] as Node;
  await model.children(row);
  model.moveTo(1);
  assert.equal(drawn.length, 1, 'nothing is open');
  model.expanded(row, true);
  await model.children(row);
  answers.a = entity('a', [claim('c1'), claim('c2')]);
  model.rank([salient('a'), salient('b')]);
  drawn.length = 0;
  model.moveTo(2);
  assert.deepEqual(drawn, [[model.roots[0]]], 'what is unfolded, nothing else');
  assert.equal((await model.children(row)).length, 3);
  model.moveTo(2);
  assert.equal(drawn.length, 1);
  assert.deepEqual(asked, ['a', 'a', 'a']);
});

test('an entity that is gone says so beneath its row and no more', async () => {
  const { model } = inPlay();
  model.rank([salient('a')]);
  const rows = await model.children(model.roots[0] as Node);
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['why', 'note'],
  );
});

test('the same id in two collections is two rows', () => {
  const rows = [salient('a', { collection: 'x' }), salient('a', { collection: 'y' })];
  assert.notEqual(keyOf(rows[0] as never), keyOf(rows[1] as never));
  assert.equal(steadyOrder([], rows, () => false).length, 2);
});

test('a claim says status, confidence and date, and leads to what it quotes', () => {
  const cited = {
    id: 'e1',
    kind: 'evidence',
    source_id: 's',
    title: 'Runbook',
    locator: 'L3',
    quote: 'Drain first.',
    document: 'file:///repo/docs/runbook.md#L3',
    fresh: 'there',
    uri: 'file:///kb/.vouch/evidence/e1.yaml',
  } as const;
  const node = claimNode('p', claim('c', { status: 'contested', citations: [cited] }));
  assert.equal(node.description, undefined, 'the text has the row to itself');
  assert.equal(node.icon, 'warning');
  assert.deepEqual(node.target.uris, [cited.document, 'file:///kb/.vouch/claims/c.yaml']);
  assert.deepEqual(node.file.passages, ['Text of c', 'text:']);
  assert.deepEqual(claimNode('p', claim('c')).target, node.file);
  assert.equal(node.tooltip?.[1], 'contested · confidence 0.70 · 2026-06-30');
  assert.equal(node.tooltip?.at(-1), '— Runbook');
  assert.match(node.spoken ?? '', /confidence 0\.70.*, 1 citation$/);
  const missing = {
    ...cited,
    title: null,
    locator: null,
    source_id: null,
    kind: 'missing',
  } as const;
  const lost = claimNode('p', claim('c', { citations: [missing] }));
  assert.equal(lost.tooltip?.at(-1), '— e1 · missing');
});

test('more claims than a glance takes stand under one row', () => {
  const many = Array.from({ length: 9 }, (_, at) => claim(`c${at}`));
  const nodes = claimNodes('p', many, 12, null);
  assert.equal(nodes.length, 6);
  assert.equal(nodes[5]?.label, '4 more');
  assert.equal(below(nodes[5]).at(-1)?.label, '3 not listed');
  assert.equal(claimNodes('p', many.slice(0, 6), 6, null).length, 6);
  assert.equal(claimNodes('p', [], 0, null)[0]?.kind, 'note');
});

test('every row has an id of its own', () => {
  const rows = [entityNode('s', salient('a'), false), ...claimNodes('s/a', [claim('c')], 1, null)];
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
});

test('a row opens its own place, or the file of its entity in its own knowledge base', async () => {
  const asked: unknown[] = [];
  const ask = (async (_: string, params: unknown, collection: string) => {
    asked.push([params, collection]);
    return entity('a', []);
  }) as unknown as Ask;
  const row = entityNode('s', salient('a', { collection: 'billing' }), false);
  const target = await targetOf(ask, row);
  assert.deepEqual(target?.uris, ['file:///kb/.vouch/entities/a.yaml']);
  assert.deepEqual(asked, [[{ id: 'a' }, 'billing']]);
  const own = claimNode('p', claim('c'));
  assert.equal(await targetOf(ask, own), own.target);
  assert.equal(asked.length, 1);
});

test('a topic says where it was found, and opens no file', async () => {
  const found = entity('topic:a', [claim('c')]);
  const topic = { ...found, entity: { ...found.entity, uri: null }, why: 'tag of 2 claims' };
  const ask = (async () => topic) as unknown as Ask;
  const view = new InPlay(ask, () => {});
  view.rank([salient('topic:a', { type: 'topic', arm: 'derived' })]);
  const [row] = view.roots as [Node];
  assert.equal('subject' in row && row.subject.isTopic, true);
  assert.equal(await targetOf(ask, row), undefined);
  const beneath = await view.children(row);
  const told = beneath.find(({ label }) => label === 'Not declared');
  assert.equal(told?.description, 'tag of 2 claims');
  assert.equal(entityNode('s', salient('a', { type: 'topic' }), false).subject.isTopic, false);
});

test('experts: people first, an answer to an older question is dropped', async () => {
  let drawn = 0;
  const waiting: ((rows: readonly unknown[]) => void)[] = [];
  const ask = ((method: string) =>
    new Promise((resolve) =>
      waiting.push((rows) =>
        resolve(method === 'vouch/experts' ? { degraded: [], experts: rows } : rows[0]),
      ),
    )) as unknown as Ask;
  const experts = new Experts(ask, () => {
    drawn += 1;
  });
  const first = experts.find({ topic: 'old', weight: 'count', types: [] });
  const second = experts.find({ topic: 'new', weight: 'count', types: [] });
  const answer = [
    expert('a', 4, { type: 'system', claim_count: 12 }),
    expert('b', 3),
    expert('c', 2, { type: 'person' }),
    expert('d', 1, { type: 'person' }),
  ];
  waiting[1]?.(answer);
  await second;
  waiting[0]?.([expert('z', 1)]);
  await first;
  assert.deepEqual(names(experts.roots), ['People', 'Teams and owners', 'Systems and topics']);
  const rows = experts.roots.flatMap(below);
  assert.deepEqual(names(rows), ['\u20073  C', '\u20073  D', '\u20073  B', '12  A']);
  assert.deepEqual(
    rows.map(({ description }) => description),
    ['', '', '', 'system'],
  );
  const beneath = experts.children(rows[0] as Node) as Promise<readonly Node[]>;
  waiting[2]?.([]);
  await undefined;
  await new Promise(setImmediate);
  waiting[3]?.([{ claim: claim('c1') }]);
  assert.deepEqual(names(await beneath), ['Text of c1', '2 not listed']);
  const again = experts.refresh();
  waiting[4]?.(answer);
  await again;
  assert.equal(drawn, 1, 'the same answer draws nothing');
});

/** Experts on a topic, once the answer has come. */
async function answered(
  rows: readonly ExpertRow[],
  topic = 'x',
  types: readonly string[] = [],
  by_commits: readonly AuthorRow[] | undefined = undefined,
) {
  const experts = new Experts(
    (async () => ({ degraded: [], experts: rows, by_commits, hits: [] })) as unknown as Ask,
    () => {},
  );
  await experts.find({ topic, weight: 'evidence', types });
  return experts;
}

test('the entity that the topic names stands above the rows', async () => {
  const rows = [expert('relay', 4), expert('kafka', 2)];
  const experts = await answered(rows, ' relay ');
  assert.equal(experts.headline, 'RELAY · team · 3 claims · by weight of evidence');
  assert.equal(experts.roots.flatMap(below).length, 1);
  const twice = [expert('relay', 4), expert('relay', 4, { collection: 'billing' })];
  assert.equal((await answered(twice, 'relay')).headline, '“relay” · by weight of evidence');
});

test('where nobody carries evidence, what a search finds is shown', async () => {
  const hit = { kind: 'claim', id: 'c1', title: 'c1', snippet: 'Keys  rotate.', uri: 'file:///c1' };
  const asked: string[] = [];
  const ask = (async (method: string) => {
    asked.push(method);
    return method === 'vouch/search'
      ? { hits: [{ ...hit, collection: 'x', stale: 'quote gone since' }] }
      : { experts: [], unmatched: ['frob'], degraded: ['timed_out'] };
  }) as unknown as Ask;
  const experts = new Experts(ask, () => {});
  await experts.find({ topic: 'frob keys', weight: 'evidence', types: [] });
  const [row] = below(experts.roots[0]);
  assert.equal(row?.label, 'Keys rotate.');
  assert.deepEqual(row?.kind === 'claim' && row.claim, { id: 'c1', collection: 'x' });
  assert.deepEqual([row?.icon, row?.tooltip?.includes('quote gone since')], ['history', true]);
  assert.deepEqual(targetIn(row), { uris: ['file:///c1'], passages: ['Keys  rotate.', 'text:'] });
  assert.equal(
    experts.headline,
    'Nobody carries evidence on “frob keys” · “frob” not known here · not all counted, time was up',
  );
  await experts.find({ topic: 'frob keys', weight: 'evidence', types: ['team'] });
  assert.deepEqual(asked, ['vouch/experts', 'vouch/search', 'vouch/experts']);
});

test('what a search finds is drawn anew where that alone has changed', async () => {
  let title = 'Old page';
  const hit = { kind: 'page', id: 'p', snippet: '', collection: null, uri: 'file:///p.md' };
  const ask = (async (method: string) =>
    method === 'vouch/search'
      ? { hits: [{ ...hit, title }] }
      : { experts: [], degraded: [] }) as unknown;
  const experts = new Experts(ask as Ask, () => {});
  await experts.find({ topic: 'x', weight: 'evidence', types: [] });
  title = 'New page';
  await experts.refresh();
  assert.deepEqual(names(below(experts.roots[0])), ['New page']);
});

test('where a search finds nothing either, that is said, and another question offered', async () => {
  const ask = (async () => ({ experts: [], hits: [], degraded: [] })) as unknown as Ask;
  const experts = new Experts(ask, () => {});
  await experts.find({ topic: 'frobnicator', weight: 'evidence', types: [] });
  assert.deepEqual(names(experts.roots), ['A search finds nothing either', 'Find Experts']);
});

test('people first, then teams and owners, then who committed, then systems', async () => {
  const about = { via: null, claim_count: 0, collection: null };
  const people = [
    { ...about, entity_id: 'ada', name: 'Ada', type: 'person', claim_count: 2, relation: null },
    { ...about, entity_id: 'ops', name: 'Ops', type: 'team', relation: 'owned_by' },
    { ...about, entity_id: null, name: 'acme/keys', type: 'team', relation: 'owns' },
    { ...about, entity_id: 'ann', name: 'Ann', type: 'person', relation: null },
  ];
  const paths = [{ path: 'src/a.py', commits: 20, last: '2026-07-25' }];
  const by_commits = [
    { name: 'Ada Byron', commits: 21, last: '2026-07-25', files: 3, paths },
    { name: 'Bob', commits: 1, last: '2024-01-02', files: 1, paths: [] },
  ];
  const ranked = [expert('relay', 4, { type: 'system' }), expert('ann', 2, { type: 'person' })];
  const experts = new Experts(
    (async () => ({ degraded: [], experts: ranked, people, by_commits })) as unknown as Ask,
    () => {},
    (path) => [`file:///kb/${path}`],
  );
  await experts.find({ topic: 'x', weight: 'evidence', types: [] });
  const groups = ['People', 'Teams and owners', 'By commits', 'Systems and topics'];
  assert.deepEqual(names(experts.roots), groups);
  const [persons, teams, authors] = experts.roots.map(below);
  assert.deepEqual(names(persons ?? []), ['3  ANN', 'Ada']);
  assert.deepEqual(names(teams ?? []), ['Ops', 'acme/keys']);
  assert.deepEqual(names(authors ?? []), ['21  Ada Byron', '1  Bob']);
  const ada = persons?.[1];
  assert.equal(ada?.kind === 'person' && ada.subject.id, 'ada');
  assert.equal(teams?.[0]?.description, 'owned by');
  assert.equal(teams?.[1]?.kind, 'note', 'an owner by CODEOWNERS leads nowhere');
  const [file, more] = below(authors?.[0]);
  assert.equal(authors?.[0]?.tooltip?.[1], '21 commits to 3 files, the last on 2026-07-25.');
  assert.equal(file?.label, 'a.py');
  assert.equal(file?.description, '20 commits · 2026-07-25');
  assert.deepEqual(targetIn(file)?.uris, ['file:///kb/src/a.py']);
  assert.equal(more?.label, '2 more files');
  const spoken = [experts.roots[0], experts.roots[2], authors?.[0], file].map((row) => row?.spoken);
  assert.deepEqual(spoken, [
    'People, 2',
    'By commits, 2',
    'Ada Byron, 21 commits to 3 files, the last on 2026-07-25',
    'src/a.py, 20 commits · 2026-07-25',
  ]);
});

test('a topic that is asked for begins with its own claims', async () => {
  const topic = expert('topic:key', 4, { name: 'key', type: 'topic' });
  const experts = await answered([topic, expert('ann', 2, { type: 'person' })], 'key');
  const [own] = experts.roots;
  assert.deepEqual(names(experts.roots), ['Claims of key', 'People']);
  assert.equal(own?.kind === 'expert' && own.open, true);
});

test('of a topic with many claims a few stand above the people, and all when its line is drawn', async () => {
  const topic = expert('topic:key', 4, {
    name: 'key',
    type: 'topic',
    claim_count: 12,
    top_claim_ids: Array.from({ length: 10 }, (_, at) => `c${at}`),
  });
  let left = 0;
  const ask = (async (method: string, { id }: { id: string }) => {
    if (method === 'vouch/experts') return { degraded: [], experts: [topic] };
    left += 1;
    await new Promise(setImmediate);
    left -= 1;
    return { claim: claim(id) };
  }) as unknown as Ask;
  let drawn = 0;
  const experts = new Experts(ask, () => {
    drawn += 1;
    assert.equal(left, 0, 'the line above the rows speaks of these rows');
  });
  await experts.find({ topic: 'key', weight: 'evidence', types: [] });
  assert.equal(drawn, 1);
  const rows = experts.children(experts.roots[0] as Node) as readonly Node[];
  assert.deepEqual(names(rows).slice(4), ['Text of c4', '5 more']);
  assert.equal(below(rows[5]).at(-1)?.label, '2 not listed');
});

test('many experts: twenty of them, people before all others, then the rest folded', async () => {
  const rows = Array.from({ length: 60 }, (_, at) =>
    expert(`e${at}`, 60 - at, { type: at < 50 ? 'system' : 'person' }),
  );
  const experts = await answered(rows);
  assert.deepEqual(names(experts.roots), ['People', 'Systems and topics', '40 more']);
  assert.deepEqual(
    experts.roots.map((node) => below(node).length),
    [10, 10, 40],
  );
});

test('where a filter leaves nobody, the filter is offered', async () => {
  const experts = await answered([], 'x', ['team']);
  assert.equal(commandOf(experts.roots[0]), 'vouchSidecar.filterExperts');
  assert.equal(commandOf((await answered([])).roots[1]), 'vouchSidecar.findExperts');
});

test('where the server is gone, so are the rows, and asked for again when it is back', async () => {
  const experts = await answered([expert('relay', 4)], 'keys');
  const { headline, roots } = experts;
  experts.clear();
  assert.deepEqual([experts.roots, experts.headline], [[], '']);
  await experts.refresh();
  assert.deepEqual([experts.roots, experts.headline], [roots, headline]);
});

test('the line above the experts says what was asked; history keeps each once', () => {
  const asked = { topic: ' rate\n limiter ', weight: 'recency', types: ['team'] } as const;
  assert.equal(headline(asked, 2, undefined), '“rate limiter” · by how recent they are');
  assert.equal(
    headline(asked, 0, undefined),
    'Nobody carries evidence on “rate limiter” · only team',
  );
  assert.equal(
    headline(asked, 2, undefined, '“frob” not known here'),
    '“rate limiter” · by how recent they are · “frob” not known here',
  );
  const own = expert('relay', 4);
  assert.equal(headline(asked, 2, own), 'RELAY · team · 3 claims · by how recent they are');
  assert.equal(headline(asked, 0, own), 'RELAY · team · 3 claims. They name nobody else.');
  assert.deepEqual(remember(['a', 'b'], 'b'), ['b', 'a']);
  assert.equal(remember(Array.from({ length: 30 }, String), 'x').length, 20);
});

const visible = (uri: string): VisiblePart => ({
  uri,
  range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
});

/** A model, and what the next look at each document finds: names by line. */
function inFile(
  named: Record<string, [line: number, id: string, listed?: boolean][]>,
  files: Record<string, readonly TiedClaim[]> = {},
  degraded: readonly string[] = [],
  meets: (claims: readonly ClaimRef[]) => void = () => {},
) {
  const kept = new Map<string, unknown>();
  const dismissals = new Dismissals({
    get: (key: string, otherwise?: unknown) => kept.get(key) ?? otherwise,
    update: async (key: string, value: unknown) => void kept.set(key, value),
  } as never);
  let drawn = 0;
  const ask = (async (method: string, params: { uri: string; id: string }) => {
    if (method === 'vouch/entity') return entity(params.id, [claim('c1')]);
    if (method === 'vouch/files') {
      return { degraded, files: [{ path: params.uri, claims: files[params.uri] ?? [] }] };
    }
    const found = named[params.uri];
    if (!found) throw new Error('names no open document');
    const mentions = found.map(([line, id, listed = true]) => ({
      ...salient(id, { type: id.startsWith('topic:') ? 'topic' : 'system' }),
      listed,
      range: { start: { line, character: 0 }, end: { line, character: 1 } },
    }));
    return { mentions };
  }) as unknown as Ask;
  const redraw = () => {
    drawn += 1;
  };
  const model = new InFile(ask, redraw, dismissals, meets);
  return { model, drawn: () => drawn, named };
}

test('what a file names is listed once, in its order, without what is hardly meant', async () => {
  const { model } = inFile({
    a: [
      [1, 'x'],
      [3, 'hardly', false],
      [4, 'b'],
      [5, 'x'],
    ],
  });
  await model.look(visible('a'));
  assert.deepEqual(names(model.roots), ['X', 'B']);
});

const FILE = 'file:///repo/a.py';

test('claims on a file stand as in the file, the one at the caret marked, each at its line', async () => {
  const claims = [
    tied('whole'),
    tied('again', { text: 'Text of whole' }),
    tied('below', { line: 90 }),
    tied('here', { line: 7, text: 'Ask `poll()` first.', stale: 'gone', status: 'contested' }),
    tied('seen', { line: 2 }),
  ];
  const met: (readonly string[])[] = [];
  const { model } = inFile(
    {
      [FILE]: [
        [1, 'x'],
        [2, 'topic:y'],
      ],
    },
    { [FILE]: claims },
    [],
    (here) => met.push(here.map(({ id }) => id)),
  );
  await model.look(visible(FILE));
  model.follow({ uri: FILE, line: 8, around: [6, 9] });
  const [seen, here, below, whole, named, ...others] = model.roots;
  assert.equal(seen?.label, 'L2 · Text of seen');
  assert.equal(here?.label, 'L7 · Ask poll() first.');
  assert.deepEqual(names([below, whole, named] as Node[]), [
    'L90 · Text of below',
    'Text of whole',
    'X',
  ]);
  assert.deepEqual(others, [], 'topics are not listed');
  assert.equal(here?.icon, 'arrow-right');
  assert.equal(here?.description, 'at the caret · contested · stale');
  assert.deepEqual(met, [['here']]);
  assert.equal(model.count, 4);
  assert.deepEqual(targetIn(here), { uris: [FILE], locator: 'L7', passages: [] });
  assert.deepEqual(targetIn(whole)?.uris[0], 'file:///repo/notes.md#L3');
  assert.deepEqual(here?.kind === 'claim' && here.file.uris, [
    'file:///kb/.vouch/claims/here.yaml',
  ]);
  assert.deepEqual(here?.tooltip, [
    'Ask poll() first.',
    'quotes it',
    'gone',
    'contested',
    '— Notes',
  ]);
  model.follow({ uri: FILE, line: 40, around: [38, 44] });
  assert.equal(model.roots[1]?.icon, 'warning');
  assert.equal(met.length, 1, 'nothing is met where no claim stands');
});

test('a dismissed claim is gone from its file until it is restored', async () => {
  const { model } = inFile({ [FILE]: [] }, { [FILE]: [tied('a'), tied('b')] });
  await model.look(visible(FILE));
  model.dismiss(model.roots[0] as Node);
  assert.deepEqual(names(model.roots), ['Text of b', '1 dismissed']);
  assert.equal(model.count, 1);
  model.restore();
  assert.deepEqual(names(model.roots), ['Text of a', 'Text of b']);
});

test('a hidden view is told of claims, for its badge, and asks for no names', async () => {
  const { model } = inFile({}, { [FILE]: [tied('a')] });
  await model.look(visible(FILE), false);
  assert.equal(model.count, 1);
  assert.deepEqual(names(model.roots), ['Text of a']);
});

test('a file without any claim says why', async () => {
  const many = Array.from({ length: 12 }, (_, at) => tied(`c${at}`));
  const { model } = inFile({ [FILE]: [] }, { [FILE]: many });
  await model.look(visible(FILE));
  assert.equal(model.roots.length, 12);
  await model.look(visible('file:///repo/b.py'));
  assert.equal(model.roots[0]?.label, 'No claim is about this file');
  assert.equal(commandOf(model.roots[1]), 'vouchSidecar.folderClaims');
  await model.look(visible('untitled:x'));
  assert.deepEqual(model.roots, []);
  const pending = inFile({ [FILE]: [] }, {}, ['workspace_pending']);
  await pending.model.look(visible(FILE));
  assert.equal(pending.model.roots[0]?.icon, 'loading~spin');
});

test('while a server is started again, what is shown of a file stays', async () => {
  const files: Record<string, readonly TiedClaim[]> = { 'file:///a': [tied('c1')] };
  const named: Record<string, [number, string][]> = { 'file:///a': [[0, 'relay']] };
  const degraded: string[] = [];
  const { model } = inFile(named, files, degraded);
  await model.look(visible('file:///a'));
  const before = names(model.roots);
  assert.equal(before.length, 2);
  files['file:///a'] = [];
  degraded.push('workspace_pending');
  delete named['file:///a'];
  await model.look(visible('file:///a'));
  assert.deepEqual(names(model.roots), before);
  degraded.pop();
  await model.look(visible('file:///a'));
  assert.equal(model.count, 0);
});

test('claims that are tied weakly are folded below the others', async () => {
  const files = { [FILE]: [tied('weak', { weak: true, line: 1 }), tied('sure', { line: 3 })] };
  const { model } = inFile({ [FILE]: [] }, files);
  await model.look(visible(FILE));
  assert.deepEqual(names(model.roots), ['L3 · Text of sure', '1 less sure']);
  assert.deepEqual(names(below(model.roots[1])), ['L1 · Text of weak']);
});

test('a claim at the caret is met once, so that one selected elsewhere stays', async () => {
  const met: string[] = [];
  const files = { [FILE]: [tied('one', { line: 3 })] };
  const { model } = inFile({ [FILE]: [] }, files, [], ([first]) => met.push(first?.id ?? ''));
  await model.look(visible(FILE));
  model.follow({ uri: FILE, line: 3, around: [3, 3] });
  await model.look(visible(FILE));
  assert.deepEqual(met, ['one']);
  model.follow({ uri: FILE, line: 9, around: [9, 9] });
  model.follow({ uri: FILE, line: 3, around: [3, 3] });
  assert.deepEqual(met, ['one', 'one']);
});

test('before the server answers, claims on an open file are to come; what stands there stays', async () => {
  const { model } = inFile({ [FILE]: [[1, 'x']] });
  model.expect('untitled:x');
  assert.deepEqual(model.roots, []);
  model.expect(FILE);
  assert.deepEqual(names(model.roots), ['Claims are being tied to files…']);
  await model.look(visible(FILE));
  const before = names(model.roots);
  model.expect('file:///repo/other.py');
  assert.deepEqual(names(model.roots), before);
});

test('scrolling moves nothing that is still in sight, another file begins anew', async () => {
  const { model, drawn, named } = inFile({
    a: [
      [1, 'x'],
      [2, 'y'],
    ],
    b: [
      [1, 'z'],
      [2, 'y'],
    ],
  });
  await model.look(visible('a'));
  await model.look(visible('a'));
  assert.equal(drawn(), 1);
  named.a = [
    [3, 'new'],
    [4, 'y'],
  ];
  await model.look(visible('a'));
  assert.deepEqual(names(model.roots), ['Y', 'NEW']);
  await model.look(visible('b'));
  assert.deepEqual(names(model.roots), ['Z', 'Y']);
  await model.look(undefined);
  assert.deepEqual(names(model.roots), []);
});

test('what is unfolded stays, wherever one looks', async () => {
  const { model } = inFile({
    a: [
      [1, 'x'],
      [2, 'y'],
    ],
    b: [[1, 'z']],
  });
  await model.look(visible('a'));
  const row = model.roots[1] as Node;
  model.expanded(row, true);
  assert.deepEqual(names(await model.children(row)), ['Text of c1']);
  for (const next of [visible('b'), visible('closed'), undefined]) {
    await model.look(next);
    assert.equal(model.roots[1]?.id, row.id);
    assert.match(model.roots[1]?.description ?? '', /no longer in sight/);
  }
  model.expanded(model.roots[1] as Node, false);
  await model.look(visible('b'));
  assert.deepEqual(names(model.roots), ['Z']);
});

test('an answer that comes late is not shown', async () => {
  const { model } = inFile({ a: [[1, 'x']], b: [[1, 'z']] });
  await Promise.all([model.look(visible('a')), model.look(visible('b'))]);
  assert.deepEqual(names(model.roots), ['Z']);
});
