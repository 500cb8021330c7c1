import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrashCounter, coalesce } from '../src/server/starting';

test('a server that dies now and then is started again, one that keeps dying is not', () => {
  const now = new CrashCounter();
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((at) => now.mayRestart(at)),
    [true, true, true, true, false],
  );
  const calm = new CrashCounter();
  for (let minute = 0; minute < 20; minute += 1) assert.ok(calm.mayRestart(minute * 60_000));
});

test('a counter that was told to forget starts anew', () => {
  const counter = new CrashCounter();
  for (let at = 0; at < 5; at += 1) counter.mayRestart(at);
  counter.forget();
  assert.ok(counter.mayRestart(6));
});

test('calls made while it runs share one further run', async () => {
  let runs = 0;
  const waiting: (() => void)[] = [];
  const run = coalesce(() => {
    runs += 1;
    return new Promise((resolve) => waiting.push(resolve));
  });
  const first = run();
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
  const first = run();
  const second = run();
  await assert.rejects(first);
  await second;
  assert.equal(runs, 2);
});
