import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CLIENT_SETTINGS, explicitSettings } from '../src/settings';

interface Property {
  readonly type: string;
  readonly default: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly scope: string;
  readonly markdownDescription: string;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const properties: Record<string, Property> = Object.assign(
  {},
  ...manifest.contributes.configuration.map((group: { properties: object }) => group.properties),
);

test('only what was set is sent, nested by group', () => {
  const values: Record<string, object> = {
    'recall.max_results': { globalValue: 5, workspaceValue: 7 },
    'recall.enabled': { globalValue: false },
    'hover.max_claims': { defaultValue: 3 },
    'prompts.idle_ms': { workspaceFolderValue: 0, globalValue: 100 },
  };
  assert.deepEqual(
    explicitSettings((key) => values[key]),
    { recall: { max_results: 7, enabled: false }, prompts: { idle_ms: 0 } },
  );
  assert.deepEqual(
    explicitSettings(() => undefined),
    {},
  );
});

test('every setting that is sent has its place in the settings editor, with its range', () => {
  const own = Object.keys(properties).filter((key) => !/\.(path|trace\.server)$/.test(key));
  assert.deepEqual(own.sort(), CLIENT_SETTINGS.map((key) => `vouchSidecar.${key}`).sort());
  for (const key of own) {
    const property = properties[key] as Property;
    const { type, default: value, minimum, maximum, markdownDescription: said } = property;
    if (type === 'boolean') continue;
    assert.ok(minimum !== undefined && maximum !== undefined, `${key} has no range`);
    assert.ok(said.includes(`${minimum} to ${maximum}`), `${key} does not say its range`);
    assert.ok(Number(value) >= minimum && Number(value) <= maximum, `${key}: default out of range`);
  }
});

test('which server is run can not be set by a workspace', () => {
  assert.equal(properties['vouchSidecar.path']?.scope, 'machine');
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, [
    'vouchSidecar.path',
  ]);
});

test('the trace can not be set to show what messages hold', () => {
  const trace = properties['vouchSidecar.trace.server'] as Property & { enum: string[] };
  assert.deepEqual(trace.enum, ['off', 'messages']);
});
