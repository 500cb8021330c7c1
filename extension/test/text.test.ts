import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFileBelow, isPlain } from '../src/text/paths';
import { blockIn, paragraphAt } from '../src/text/words';

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

test('only a path that a shell reads as it stands is typed into one', () => {
  for (const way of ['docs', 'docs/adr', 'doc/décisions_2/v1.0-b']) assert.ok(isPlain(way), way);
  for (const way of ['docs/a\nrm x', 'docs/a\r', 'docs/a b', 'docs/$(x)', 'docs/a;x', '-x', '/x']) {
    assert.ok(!isPlain(way), JSON.stringify(way));
  }
});

test('a paragraph ends at blank lines, and ten lines away', () => {
  const around = (lines: readonly string[], line: number) => {
    const lineAt = (at: number) => ({ isEmptyOrWhitespace: lines[at]?.trim() === '' });
    return paragraphAt({ lineCount: lines.length, lineAt } as never, line);
  };
  assert.deepEqual(around(['a', '', 'b', 'c', ' ', 'd'], 3), [2, 3]);
  assert.deepEqual(around(['a', '', 'b'], 1), [0, 2], 'a blank line is of both');
  const fifty = Array.from({ length: 50 }, () => 'x');
  assert.deepEqual(
    [3, 25, 49].map((line) => around(fifty, line)),
    [
      [0, 13],
      [15, 35],
      [39, 49],
    ],
  );
});

test('a block of any length is found again, by the first and the last line of the next', () => {
  const block = (said: string) => `<vouch: data>\n${said}\n</vouch>`;
  const inside = (text: string) => blockIn(text, block('- another'));
  assert.deepEqual(inside(`Ask.\r\n\r\n${block('- a claim '.repeat(2_000))}\r\nMore`), [2, 4]);
  assert.deepEqual(inside(`<vouch: data>\n${block('- whole')}\n</vouch>`), [1, 3], 'innermost');
  for (const text of [
    '',
    'Ask.',
    '<vouch: data>\nopen',
    '</vouch>\n<vouch: data>',
    'a\n</vouch>',
  ]) {
    assert.deepEqual(inside(text), [], text);
  }
});
