import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PROMPT_DOCUMENT } from '../src/protocol.gen';
import { explicitSettings } from '../src/settings';
import { CLIENT_SETTINGS, USER_SETTINGS } from '../src/settings.gen';

interface Property {
  readonly scope: string;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Property> = Object.assign(
  {},
  ...manifest.contributes.configuration.map((group: { properties: object }) => group.properties),
);

test('only what was set is sent, nested by group', () => {
  const values: Record<string, object> = {
    'recall.maxResults': { globalValue: 5, workspaceValue: 7 },
    'recall.enabled': { globalValue: false },
    'recall.timeoutMs': { defaultValue: 3 },
    'reflex.topK': { workspaceFolderValue: 0, globalValue: 100 },
  };
  assert.deepEqual(
    explicitSettings((key) => values[key]),
    { reflex: { topK: 0 }, recall: { enabled: false, maxResults: 7 } },
  );
  assert.deepEqual(
    explicitSettings(() => undefined),
    {},
  );
});

test('the manifest knows prompts by the language that the server does', () => {
  const spelled = JSON.stringify(manifest).matchAll(/(?<=editorLangId == |"\[)[\w-]+/g);
  const ids = [manifest.contributes.languages[0].id, ...[...spelled].map(String)];
  assert.deepEqual([...new Set(ids)], [PROMPT_DOCUMENT]);
});

test('what no workspace decides on is taken from the user alone, registered or not', () => {
  const layers = { globalValue: 'mine', workspaceValue: 'theirs', workspaceFolderValue: 'theirs' };
  const settings = explicitSettings(() => layers);
  for (const key of USER_SETTINGS) assert.equal(valueAt(settings, key), 'mine', key);
  for (const key of CLIENT_SETTINGS) assert.equal(valueAt(settings, key), 'theirs', key);
  const { globalValue: _, ...planted } = layers;
  const theirs = explicitSettings(() => planted);
  for (const key of USER_SETTINGS) assert.equal(valueAt(theirs, key), undefined, key);
});

const valueAt = (settings: object, key: string): unknown =>
  key.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], settings);

test('every setting of the settings editor is sent, with the scope that it is read in', () => {
  const users: readonly string[] = USER_SETTINGS;
  const anybodys: readonly string[] = CLIENT_SETTINGS;
  const listed = Object.entries(properties).filter(([key]) => key !== 'vouchSidecar.path');
  assert.equal(listed.length, 9);
  for (const [key, { scope }] of listed) {
    const name = key.replace('vouchSidecar.', '');
    assert.ok((scope === 'machine' ? users : anybodys).includes(name), key);
  }
});

test('which server is run can not be set by a workspace', () => {
  assert.equal(properties['vouchSidecar.path']?.scope, 'machine');
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, [
    'vouchSidecar.path',
  ]);
});

test('a command is declared where it is offered: in the palette or a menu', () => {
  const { commands, menus } = manifest.contributes;
  const entries: { command: string; when?: string }[] = Object.values(menus).flat() as never;
  for (const { command } of commands) {
    const places = entries.filter((entry) => entry.command === command);
    const isHidden = places.some(({ when }) => when === 'false');
    assert.ok(!isHidden || places.some(({ when }) => when !== 'false'), command);
  }
});

test('the walkthrough has no marks that VS Code shows as they are', () => {
  const [{ steps }] = manifest.contributes.walkthroughs;
  for (const { description } of steps) {
    assert.doesNotMatch(description.replaceAll('**', ''), /\*/, 'it knows bold alone');
  }
});

test('a view is called the same in its title and in the palette', () => {
  const names = Object.values(manifest.contributes.views).flat() as { name: string }[];
  for (const { name } of names) assert.match(name, /^[A-Z]\w*( [A-Z]\w*)*$/);
});
