import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Author, ClaimView, SalientEntity } from '../src/protocol.gen';
import { type Ask, claimNode, claimNodes, type Node, targetOf } from '../src/tree/nodes';
import { ClickGuard, drawAround, LINGER_MS } from '../src/tree/rows';
import { Experts } from '../src/views/experts';
import { InPlay } from '../src/views/inPlay';
import { claim, entity, expert, pushed } from './helpers';

const names = (nodes: readonly Node[]) => nodes.map(({ label }) => label);

async function below(node: Node | undefined): Promise<readonly Node[]> {
  const { children = [] } = node ?? {};
  return typeof children === 'function' ? children() : children;
}

async function tooltipOf({ tooltip = '' }: Node): Promise<readonly string[]> {
  return (typeof tooltip === 'function' ? await tooltip() : tooltip).split('\n');
}

/** An answer to every question, and what was asked. */
function asking(answer: (method: string, params: Record<string, unknown>) => unknown) {
  const asked: unknown[] = [];
  const ask = (async (method: string, params: Record<string, unknown>, collection?: string) => {
    asked.push([method, params, collection]);
    return answer(method, params);
  }) as unknown as Ask;
  return { ask, asked };
}

const PUSH = { session_id: 'own', salience: [], fresh: [], text: '', generation: 1, of_text: true };

function inPlay(answer: (method: string) => unknown = () => assert.fail('nothing is asked')) {
  const { ask, asked } = asking(answer);
  const drawn: string[][] = [];
  const model = new InPlay(ask, 'own');
  model.redraw = () => drawn.push(names(model.roots));
  const push = (salience: SalientEntity[], more: object = {}) =>
    model.push({ ...PUSH, salience, ...more });
  return { model, drawn, asked, push };
}

test('a push is the view: each entity with what is claimed of it on the row below, unfolded', async () => {
  const { model, asked, push } = inPlay();
  push([pushed('a', { claim: '`x` is so.', top_claim_id: 'c1' }), pushed('b', { claim: null })]);
  assert.deepEqual(names(model.roots), ['A', 'B']);
  const [a, b] = model.roots as [Node, Node];
  assert.equal(a.open, true);
  const [top] = await below(a);
  assert.deepEqual([top?.label, top?.claim], ['x is so.', { id: 'c1', collection: null }]);
  assert.deepEqual(await below(b), []);
  assert.deepEqual(await tooltipOf(a), ['A', '2 claims · system', 'named as a']);
  assert.deepEqual(asked, [], 'a push holds all of it');
});

test('what the newest text brought in comes first, until another text brings something in', () => {
  const { model, push } = inPlay();
  const [a, b, c] = [pushed('a'), pushed('b'), pushed('c')];
  push([a, b], { fresh: [b] });
  assert.deepEqual(names(model.roots), ['B', 'A']);
  push([a, b, c]);
  assert.deepEqual(names(model.roots), ['B', 'A', 'C']);
  push([a, b, c], { fresh: [c] });
  assert.deepEqual(names(model.roots), ['C', 'A', 'B']);
});

test('the same push again draws nothing, a changed row does', () => {
  const { drawn, push } = inPlay();
  push([pushed('a'), pushed('b')]);
  drawn.length = 0;
  push([pushed('a'), pushed('b')]);
  assert.deepEqual(drawn, []);
  push([pushed('a'), pushed('b', { claim: 'Another one.' })]);
  assert.deepEqual(drawn, [['A', 'B']]);
});

test('a row that left stays where it stood until nobody types or clicks for a while', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { model, drawn, push } = inPlay();
  push([pushed('a'), pushed('b'), pushed('c')]);
  drawn.length = 0;
  push([pushed('a'), pushed('c')], { generation: 2 }); // of a second engine, say
  context.mock.timers.tick(LINGER_MS - 1);
  model.touched();
  context.mock.timers.tick(LINGER_MS - 1);
  assert.deepEqual(names(model.roots), ['A', 'B', 'C']);
  push([pushed('a'), pushed('b'), pushed('c')]);
  context.mock.timers.tick(LINGER_MS);
  assert.deepEqual(drawn, [], 'it came back: nothing moved');
  push([pushed('d'), pushed('c')]);
  assert.deepEqual(names(model.roots), ['A', 'B', 'D', 'C']);
  context.mock.timers.tick(LINGER_MS);
  assert.deepEqual(names(model.roots), ['D', 'C']);
});

test('no more rows stay than a push has, and none once the knowledge changed', () => {
  const { model, push } = inPlay();
  const ten = (letter: string) => Array.from({ length: 10 }, (_, at) => pushed(`${letter}${at}`));
  push(ten('a'));
  push(ten('b'));
  assert.equal(model.roots.length, 10);
  assert.ok(model.roots.every(({ label }) => label.startsWith('B')));
  push([pushed('c')], { session_id: 'agent' });
  push([], { of_text: false }); // its claim may be one that was retired
  assert.deepEqual(names(model.roots), ['Agent']);
  push([], { session_id: 'agent', of_text: false });
  assert.deepEqual(model.roots, []);
});

test('a pause hides what is in play, which comes back unless the server took it out', () => {
  const { model, push } = inPlay();
  push([pushed('a'), pushed('b')], { fresh: [pushed('b')] });
  push([pushed('x')], { session_id: 'agent' });
  model.hide(true);
  assert.deepEqual(model.roots, []);
  model.hide(false);
  assert.deepEqual(names(model.roots), ['Agent', 'B', 'A'], 'it ended before the server saw it');
  model.hide(true);
  push([]);
  model.hide(false);
  assert.deepEqual(names(model.roots), ['Agent'], 'without those that linger');
  push([pushed('a'), pushed('b')]);
  assert.deepEqual(names(model.roots), ['B', 'A', 'Agent'], 'the newest first, as before');
  push([]); // they linger
  model.hide(true);
  model.hide(false);
  assert.deepEqual(names(model.roots), ['Agent']);
});

test('agents have headings of their own, what came into play last stands first, and ends go', async () => {
  const { model, push } = inPlay();
  push([pushed('x')], { session_id: '1234567890' });
  assert.deepEqual(names(model.roots), ['Agent']);
  assert.equal(model.roots[0]?.description, '12345678');
  assert.deepEqual(names(await below(model.roots[0])), ['X']);
  push([pushed('a')]);
  push([pushed('a')], { session_id: 'later' });
  assert.deepEqual(names(model.roots), ['Agent', 'A', 'Agent']);
  const ids = model.roots.flatMap(({ id }) => id);
  const rows = await Promise.all(model.roots.map(below));
  assert.equal(new Set([...ids, ...rows.flat().map(({ id }) => id)]).size, 7);
  push([pushed('a'), pushed('b')]);
  assert.deepEqual(names(model.roots), ['A', 'B', 'Agent', 'Agent'], 'somebody types here');
  push([pushed('x'), pushed('y')], { session_id: '1234567890', of_text: false });
  assert.deepEqual(names(model.roots), ['A', 'B', 'Agent', 'Agent'], 'the knowledge changed');
  push([], { session_id: '1234567890', of_text: false });
  assert.deepEqual(names(model.roots), ['A', 'B', 'Agent']);
  model.clear();
  assert.deepEqual(model.roots, []);
});

test('the other claims of an entity are a list behind the first, each sentence once', async () => {
  const said = 'Both.';
  const parts = [claim('c2', { said }), claim('c3', { said })];
  const claims = [claim('c1'), ...parts];
  const { model, asked, push } = inPlay(() => entity('a', claims));
  push([pushed('a', { claim_count: 3, top_claim_id: 'c1', collection: 'kb' })]);
  const [top, more] = await below(model.roots[0]);
  assert.deepEqual(
    [top?.children, more?.label, more?.open],
    [undefined, '2 more claims', undefined],
  );
  assert.deepEqual(names(await below(more)), ['Both.']);
  assert.deepEqual(asked, [['vouch/entity', { id: 'a' }, 'kb']]);
});

test('the sentence above is not listed again for another claim that stands for it', async () => {
  const said = 'Both.';
  const found = entity('a', [claim('c2', { said }), claim('c3')]);
  const { model, push } = inPlay(() => ({ ...found, claim: claim('c1', { said }) }));
  push([pushed('a', { claim_count: 3, top_claim_id: 'c1', claim: said })]);
  const [, more] = await below(model.roots[0]);
  assert.deepEqual(names(await below(more)), ['Text of c3']);
});

test('a claim that was pushed is asked for where somebody points at it or opens it', async () => {
  const { ask } = asking(() => ({ claim: claim('c1') }));
  const model = new InPlay(ask, 'own');
  model.push({ ...PUSH, salience: [pushed('a')] });
  const [top] = await below(model.roots[0]);
  assert.match((await tooltipOf(top as Node))[1] ?? '', /confidence 0\.70/);
  assert.deepEqual(await targetOf(ask, top as Node), ['file:///kb/.vouch/claims/c1.yaml']);
});

test('a topic that is hidden goes at once; one that is shown says where it was found', async () => {
  const found = entity('topic:a', [claim('c1')]);
  const topic = { ...found, entity: { ...found.entity, uri: null }, why: 'tag of 2 claims' };
  const { model, push } = inPlay(() => topic);
  const row = pushed('topic:a', { type: 'topic', arm: 'derived', name: 'A', top_claim_id: 'c1' });
  push([row, pushed('b')]);
  assert.equal(model.roots[0]?.menu, 'entity topic');
  const [, more] = await below(model.roots[0]);
  assert.deepEqual(names(await below(more)), ['Not declared: tag of 2 claims']);
  const { ask } = asking(() => topic);
  assert.equal(await targetOf(ask, model.roots[0] as Node), undefined);
  model.drop({ id: 'topic:a', collection: null });
  assert.deepEqual(names(model.roots), ['B'], 'at once');
});

test('a heading is set where it is another one: VS Code lets the rows wait then', async () => {
  const { ask } = asking(() => ({ experts: [expert('a', 1)], degraded: [] }));
  const set: string[] = [];
  const view = {
    get message() {
      return set.at(-1);
    },
    set message(heading) {
      set.push(heading ?? '');
    },
  };
  const model = new Experts(ask);
  model.redraw = () => drawAround(view, model);
  drawAround(view, model);
  assert.deepEqual(set, []);
  await model.find({ topic: 'a', weight: 'count' });
  drawAround(view, model);
  assert.equal(set.length, 1);
  model.clear();
  assert.deepEqual(set.slice(1), ['']);
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

test('a claim leads with the fact, says how sure it is, and goes to what it quotes', async () => {
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
  const said = 'Decisions: `x` is so.';
  const citations = [cited, { ...cited, id: 'e2', quote: null }];
  const about = { status: 'contested', citations, said, heading: 'Decisions:' };
  const node = claimNode('p', claim('c', about), null);
  assert.deepEqual([node.label, node.description], ['x is so.', 'Decisions:']);
  assert.equal(node.icon, 'warning');
  assert.deepEqual(node.target, [cited.document, 'file:///kb/.vouch/claims/c.yaml']);
  assert.deepEqual(claimNode('p', claim('c'), null).target, ['file:///kb/.vouch/claims/c.yaml']);
  const lines = await tooltipOf(node);
  assert.deepEqual(lines, [said, 'working · confidence 0.70 · 2026-06-30', '— Runbook']);
  const missing = { ...cited, title: null, locator: null, source_id: null, kind: 'missing' };
  const lost = claimNode('p', claim('c', { citations: [missing] } as Partial<ClaimView>), null);
  assert.equal((await tooltipOf(lost)).at(-1), '— e1 · missing');
});

test('claims that are not listed are counted', () => {
  const nodes = claimNodes('p', [claim('c1'), claim('c2')], null, 3);
  assert.deepEqual(names(nodes), ['Text of c1', 'Text of c2', '3 not listed']);
});

const QUESTION = { topic: 'relay', weight: 'count' };

function experts(
  answer: object,
  more: (params: Record<string, unknown>) => unknown = () => ({ hits: [] }),
) {
  const whole = { degraded: [], experts: [], ...answer };
  const { ask, asked } = asking((method, params) =>
    method === 'vouch/experts' ? whole : more(params),
  );
  return { model: new Experts(ask), asked };
}

test('experts: people first, then teams, authors, systems', async () => {
  const author: Author = {
    name: 'Ada Byron',
    commits: 3,
    last: '2026-01-01',
    files: 1,
    paths: [{ path: 'a.py', commits: 3, last: '2026-01-01' }],
  };
  const owner = { entity_id: null, name: 'o/maps', type: 'team', via: '*.py', claim_count: 0 };
  const { model } = experts({
    experts: [
      expert('a', 4, { type: 'system', claim_count: 12 }),
      expert('b', 3),
      expert('c', 2, { type: 'person' }),
    ],
    people: [{ ...owner, relation: 'owns', said: 'owns *.py by CODEOWNERS' }],
    by_commits: [author],
  });
  await model.find(QUESTION);
  const groups = ['People and teams', 'By commits', 'Systems and topics'];
  assert.deepEqual(names(model.roots), groups);
  const rows = (await Promise.all(model.roots.map(below))).flat();
  assert.deepEqual(names(rows), ['B', 'C', 'o/maps', 'Ada Byron', 'A']);
  assert.equal(rows[2]?.description, 'owns *.py by CODEOWNERS');
  assert.deepEqual(
    [rows[3]?.description, rows[4]?.description],
    ['3 commits · 2026-01-01', '12 claims · system'],
  );
  assert.deepEqual((await tooltipOf(rows[3] as Node)).at(-1), 'a.py (3)');
  assert.equal(model.heading, '“relay” · by number of claims');
});

test('experts: an answer to an older question is dropped, none is shown where it is cleared', async () => {
  const waiting: (() => void)[] = [];
  const ask = ((_: string, { topic }: { topic: string }) =>
    new Promise((resolve) =>
      waiting.push(() => resolve({ degraded: [], experts: [expert(topic, 1)] })),
    )) as unknown as Ask;
  const model = new Experts(ask);
  const older = model.find({ topic: 'old', weight: 'count' });
  const newer = model.find({ topic: 'new', weight: 'count' });
  waiting[1]?.();
  await newer;
  waiting[0]?.();
  await older;
  assert.deepEqual(names(await below(model.roots[0])), ['NEW']);
  model.clear();
  assert.deepEqual([model.roots, model.heading, model.question?.topic], [[], '', 'new']);
});

test('an expert unfolds to the claims that count most, and its tooltip says what it carries', async () => {
  const explain = ['c2', 'c1'].map((claim_id) => ({ claim_id }));
  const row = expert('b', 3, { claim_count: 2, explain } as object);
  const { model, asked } = experts({ experts: [row] }, ({ id }) => ({
    claim: claim(String(id), { date: id === 'c1' ? '2026-06-30T02:31:44Z' : null }),
  }));
  await model.find(QUESTION);
  assert.deepEqual(asked.length, 1, 'one question has it all');
  const [node] = await below(model.roots[0]);
  assert.deepEqual(names(await below(node)), ['Text of c2', 'Text of c1']);
  const lines = await tooltipOf(node as Node);
  assert.deepEqual(lines, [
    'B · team',
    '2 claims on this, with 2 citations',
    'last confirmed or changed on 2026-06-30',
  ]);
});

test('another question whose rows are the same draws its heading', async () => {
  let drawn = 0;
  const { ask } = asking(() => ({ degraded: [], experts: [expert('b', 3)] }));
  const model = new Experts(ask);
  model.redraw = () => {
    drawn += 1;
  };
  await model.find({ topic: 'relay', weight: 'count' });
  await model.find({ topic: 'Relay', weight: 'count' });
  assert.equal(drawn, 2);
});

test('where nobody carries evidence, the heading says so', async () => {
  const { model } = experts({ unmatched: ['zorble'] });
  await model.find(QUESTION);
  assert.deepEqual(model.roots, []);
  assert.match(model.heading, /^Nobody carries evidence on “relay” · “zorble” not known here$/);
});
