import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defuse, isInside, literal, withLinksTo } from '../src/text/links';
import { findPlace, lineOf } from '../src/text/place';

const inside = (target: string) => isInside(target, ['/repo', '/elsewhere/kb']);
const visible = (text: string) => text.replaceAll('\u2060', '');

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

test('links into the folders stay, of others the words stay', () => {
  assert.equal(withLinksTo('See [a](file:///repo/a.md).', inside), 'See [a](<file:///repo/a.md>).');
  assert.equal(visible(withLinksTo('See [a](https://x.y/z).', inside)), 'See a.');
  assert.equal(visible(withLinksTo('![a](file:///repo/a.png)', inside)), 'a');
});

test('nothing that is left can become a link or an image', () => {
  for (const hostile of [
    '[a [b](http://x.y) c](http://x.y)',
    '[foo]![](u)(file:///etc/passwd)',
    '[![img](http://x.y/i.png)](command:evil)',
    '[a][b]\n\n[b]: https://x.y',
    '<https://x.y> <me@x.y> <file:///etc/passwd>',
    'https://x.y www.x.y me@x.y ftp://x.y',
    '\\[a](file:///etc/passwd)',
    '`[a](command:evil)`',
    '!\u200b[a](https://x.y)',
  ]) {
    const tamed = withLinksTo(hostile, inside);
    assert.doesNotMatch(tamed, /\]\(|\]\[|\]:/, hostile);
    assert.doesNotMatch(tamed, /https?:|ftp:|www\.|\w@\w|<[a-z]+:/i, hostile);
  }
});

test('words around a link that stays are defused as well', () => {
  const tamed = withLinksTo('https://x.y [a https://x.y](file:///repo/a.md)', inside);
  assert.doesNotMatch(tamed, /https:/);
  assert.match(tamed, /\]\(<file:\/\/\/repo\/a\.md>\)$/);
});

test('defusing is invisible', () => {
  const text = 'a [b](c) https://x.y me@x.y';
  assert.equal(visible(defuse(text)), text);
});

test('a literal text is one line without any markup', () => {
  const made = literal('**a**\n<b> $(zap) [c](d) # e');
  assert.doesNotMatch(made, /\n/);
  assert.doesNotMatch(made.replaceAll(/\\./g, ''), /[*<>[\]#$`_]/);
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
