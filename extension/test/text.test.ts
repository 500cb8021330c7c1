import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraphAt } from '../src/text/paragraph';
import { isFileBelow } from '../src/text/paths';
import { findPlace, lineOf } from '../src/text/place';

const inside = (target: string) => isFileBelow(target, ['/repo', '/elsewhere/kb']);

test('only files inside the folders are inside', () => {
  assert.ok(inside('file:///repo/a.md'));
  assert.ok(inside('file:///repo/a%20b.md#L3'));
  assert.ok(inside('file:///elsewhere/kb/.vouch/x.yaml'));
  for (const target of [
    'file:///repository/a.md',
    'file:///repo/../etc/passwd',
    'file:///repo/%2e%2e/etc/passwd',
    'file://host/repo/a.md',
    'https://repo/a.md',
    'command:workbench.action.quit',
    'vscode://x',
    'a.md',
    '',
  ]) {
    assert.ok(!inside(target), target);
  }
});

test('a place is found by its words, however they are wrapped', () => {
  const text = 'id: x\ntext: Retries carry\n  the key.\n';
  assert.deepEqual(findPlace(text, ['Retries carry the key.']), { line: 1, start: 6, end: 19 });
  assert.deepEqual(findPlace(text, ['gone', 'id:']), { line: 0, start: 0, end: 5 });
  assert.equal(findPlace(text, ['', '   ', 'gone (*']), undefined);
});

test('lines are read from fragments and locators', () => {
  assert.equal(lineOf('L12'), 11);
  assert.equal(lineOf('docs/a.md#L3-L9'), 2);
  assert.equal(lineOf('section 3'), undefined);
});

test('a paragraph ends at blank lines, and has at most twenty lines, as on the server', () => {
  const around = (lines: readonly string[], line: number) => {
    const lineAt = (at: number) => ({ isEmptyOrWhitespace: lines[at]?.trim() === '' });
    return paragraphAt({ lineCount: lines.length, lineAt } as never, line);
  };
  assert.deepEqual(around(['a', '', 'b', 'c', ' ', 'd'], 3), [2, 3]);
  const twenty = Array.from({ length: 20 }, () => 'x');
  assert.deepEqual(around(twenty, 19), [0, 19]);
  const fifty = Array.from({ length: 50 }, () => 'x');
  assert.deepEqual(
    [3, 25, 49, 60].map((line) => around(fifty, line)),
    [
      [0, 19],
      [11, 30],
      [35, 49],
      [35, 49],
    ],
  );
});
