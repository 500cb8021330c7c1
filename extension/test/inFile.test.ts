import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TiedClaim } from '../src/protocol.gen';
import type { Ask, Node, Ref } from '../src/tree/nodes';
import { InFile } from '../src/views/inFile';
import { tied } from './helpers';

const FILE = 'file:///repo/src/a.py';
const names = (nodes: readonly Node[]) => nodes.map(({ label }) => label);

function inFile(claims: readonly TiedClaim[]) {
  const answer = { claims, degraded: [] as string[], complete: true, fails: false };
  const ask = (async () => {
    const { claims, fails, ...said } = answer;
    if (fails) throw new Error('it is being started again');
    return { files: [{ path: 'a', claims }], ...said };
  }) as unknown as Ask;
  const reported: (readonly Ref[])[] = [];
  const model = new InFile(ask, (here) => reported.push(here));
  return { model, answer, reported };
}

test('claims stand as they do in the file, each with its line, the fact before its heading', async () => {
  const { model } = inFile([
    tied('none'),
    tied('late', { line: 12, said: 'Decisions: `x` is so.', heading: 'Decisions:' }),
    tied('early', { line: 3 }),
    tied('weak', { weak: true, line: 1 }),
  ]);
  await model.look(FILE);
  assert.deepEqual(names(model.roots), [
    'L3 · Text of early',
    'L12 · x is so.',
    'Text of none',
    '1 less sure',
  ]);
  assert.equal(model.roots[1]?.description, 'Decisions:');
  assert.deepEqual(model.roots[0]?.target, [`${FILE}#L3`]);
  assert.deepEqual(model.roots[2]?.target, ['file:///kb/.vouch/claims/none.yaml']);
});

test('the badge counts what the file no longer has', async () => {
  const { model } = inFile([
    tied('a', { fresh: 'gone', stale: 'the quote is gone' }),
    tied('b', { fresh: 'gone' }),
    tied('c', { fresh: 'there' }),
    tied('d', { stale: 'last confirmed over a year ago' }),
  ]);
  await model.look(FILE);
  assert.equal(model.badge.value, 2);
  const marks = model.roots.map(({ description }) =>
    /stale|its quote is gone/.exec(description ?? ''),
  );
  assert.deepEqual(
    marks.map((mark) => mark?.[0]),
    ['stale', 'its quote is gone', undefined, 'stale'],
  );
});

test('the claim at the caret is marked and reported, the nearest of its paragraph', async () => {
  const { model, reported } = inFile([tied('a', { line: 3 }), tied('b', { line: 7 })]);
  await model.look(FILE);
  const caret = (line: number, around: [number, number]) =>
    model.follow({ uri: FILE, line, around });
  caret(4, [2, 8]);
  assert.match(model.roots[0]?.description ?? '', /at the caret/);
  caret(4, [2, 8]);
  caret(6, [2, 8]);
  assert.match(model.roots[1]?.description ?? '', /at the caret/);
  caret(20, [20, 22]);
  assert.ok(model.roots.every(({ description }) => !description?.includes('caret')));
  assert.deepEqual(
    reported.filter(({ length }) => length > 0).map(([first]) => first?.id),
    ['a', 'a', 'b'],
  );
});

test('a claim whose quote is gone counts where that stood', async () => {
  const cited = { id: 'e', document: `${FILE}#L5` } as TiedClaim['citations'][number];
  const gone = tied('gone', { fresh: 'gone', citations: [cited] });
  const { model, reported } = inFile([tied('near', { line: 6 }), gone]);
  await model.look(FILE);
  model.follow({ uri: FILE, line: 5, around: [3, 9] });
  assert.deepEqual(reported.at(-1), [gone]);
});

test('what is shown of a file stays while a server begins; of no file nothing is shown', async () => {
  const { model, answer } = inFile([tied('a')]);
  await model.look(FILE);
  answer.fails = true;
  await model.look(FILE);
  assert.deepEqual(names(model.roots), ['Text of a']);
  Object.assign(answer, { fails: false, claims: [], complete: false });
  await model.look(FILE);
  assert.deepEqual(names(model.roots), ['Text of a']);
  answer.complete = true;
  await model.look(FILE);
  assert.deepEqual(names(model.roots), ['No claim is about this file']);
  await model.look('untitled:Untitled-1');
  assert.deepEqual(model.roots, []);
  answer.degraded = ['workspace_pending'];
  const asked = model.look('file:///repo/b.py');
  assert.match(names(model.roots)[0] ?? '', /being tied/);
  await asked;
  assert.match(names(model.roots)[0] ?? '', /being tied/);
});

test('what the server no longer says goes at once, also while it works ties out', async () => {
  const { model, answer } = inFile([tied('redacted'), tied('b')]);
  await model.look(FILE);
  Object.assign(answer, { claims: [tied('b')], degraded: ['workspace_pending'] });
  await model.look(FILE);
  assert.deepEqual(names(model.roots), ['Text of b']);
  answer.claims = [];
  await model.look(FILE);
  assert.match(names(model.roots)[0] ?? '', /being tied/);
});

test('of one knowledge base something is shown while another one is read', async () => {
  const { model, answer } = inFile([tied('a')]);
  answer.complete = false;
  await model.look(FILE);
  assert.deepEqual(names(model.roots), ['Text of a']);
});

test('what somebody turned away from is not shown', async () => {
  const { model, answer } = inFile([tied('a')]);
  const first = model.look(FILE);
  answer.claims = [tied('b')];
  const second = model.look('file:///repo/b.py');
  await Promise.all([first, second]);
  assert.deepEqual(names(model.roots), ['Text of b']);
});
