import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { explicitSettings } from '../src/settings';
import { CLIENT_SETTINGS } from '../src/settings.gen';

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
    'hover.maxClaims': { defaultValue: 3 },
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

test('every setting that is sent has its place in the settings editor', () => {
  const own = Object.keys(properties).filter((key) => key !== 'vouchSidecar.path');
  assert.deepEqual(
    own,
    CLIENT_SETTINGS.map((key) => `vouchSidecar.${key}`),
  );
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
