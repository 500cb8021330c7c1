import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesce } from '../src/server/coalesce';

test('calls made while it runs share one further run', async () => {
  let runs = 0;
  const waiting: (() => void)[] = [];
  const run = coalesce(() => {
    runs += 1;
    return new Promise<void>((resolve) => waiting.push(resolve));
  });
  const first = run();
  await new Promise(setImmediate);
  const rest = [run(), run(), run()];
  assert.equal(runs, 1);
  waiting.shift()?.();
  await first;
  await new Promise(setImmediate);
  assert.equal(runs, 2);
  waiting.shift()?.();
  await Promise.all(rest);
  assert.equal(runs, 2);
});

test('a run that fails does not keep the next one from running', async () => {
  let runs = 0;
  const run = coalesce(async () => {
    runs += 1;
    if (runs === 1) throw new Error('first');
  });
  await assert.rejects(run());
  await run();
  assert.equal(runs, 2);
});
