import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type McpApi, PROVIDER, registerMcp } from '../src/mcp';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

test('an editor that knows no MCP is left alone', () => {
  const served = {
    changed: () => ({ dispose() {} }),
    program: () => undefined,
    folders: async () => [],
  };
  assert.deepEqual(registerMcp({ lm: {} } as unknown as McpApi, served), []);
  assert.deepEqual(registerMcp({} as unknown as McpApi, served), []);
});

test('the server that was found is offered for each folder, and none before', async () => {
  type Given = { args: unknown[]; cwd?: string };
  let provide: (() => Promise<Given[]>) | undefined;
  class Stdio {
    readonly args: unknown[];
    constructor(...args: unknown[]) {
      this.args = args;
    }
  }
  const api = {
    Uri: { file: (file: string) => file },
    McpStdioServerDefinition: Stdio,
    lm: {
      registerMcpServerDefinitionProvider: (id: string, provider: never) => {
        assert.equal(id, manifest.contributes.mcpServerDefinitionProviders[0].id);
        assert.equal(id, PROVIDER);
        provide = (provider as Record<string, typeof provide>).provideMcpServerDefinitions;
        return { dispose() {} };
      },
    },
  } as unknown as McpApi;
  let program: { command: string; version: string } | undefined;
  registerMcp(api, {
    changed: () => ({ dispose() {} }),
    program: () => program,
    folders: async () => ['/w/a', '/w/b'],
  });
  assert.deepEqual(await provide?.(), []);
  program = { command: '/bin/vouch-sidecar', version: '1.2.3' };
  const given = await provide?.();
  assert.deepEqual(
    given?.map(({ args, cwd }) => [...args, cwd]),
    ['a', 'b'].map((name) => [
      `Vouch (${name})`,
      '/bin/vouch-sidecar',
      ['mcp'],
      { PYTHONPATH: '', PYTHONSAFEPATH: '1' },
      '1.2.3',
      `/w/${name}`,
    ]),
  );
});
