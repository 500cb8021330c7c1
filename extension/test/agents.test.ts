import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { type McpApi, PROVIDER, registerMcp } from '../src/agents/mcp';
import { contextText, expertsText, harmless, salienceText } from '../src/agents/text';
import {
  AGENT_SESSION,
  type AskWithToken,
  type Declared,
  registerTools,
  type ToolApi,
} from '../src/agents/tools';
import { expert, salient } from './helpers';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const declared: Declared[] = manifest.contributes.languageModelTools;
const schema = () => JSON.parse(readFileSync('../schemas/protocol.json', 'utf8'));
const base = { generation: 1, complete: true, degraded: [] };
const block = (text: string) => ({
  ...base,
  text,
  items: [],
  primary_collection: null,
  supplemental_collections: [],
  persona: null,
});

function generatorCheck(changed: unknown) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vouch-schema-'));
  try {
    const file = path.join(folder, 'protocol.json');
    writeFileSync(file, JSON.stringify(changed));
    const env = { ...process.env, VOUCH_PROTOCOL_SCHEMA: file };
    const args = ['scripts/generate-protocol.mjs', '--check'];
    return spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a model sets neither session, viewer nor root, and sends no null', () => {
  assert.deepEqual(
    declared.map(({ name, inputSchema }) => [name, ...Object.keys(inputSchema.properties)]),
    [
      ['vouch_experts', 'topic', 'limit', 'weight', 'types'],
      ['vouch_salience', 'top_k'],
      ['vouch_context', 'task', 'max_chars', 'adjacent'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(declared), /null|\$ref|anyOf/);
});

test('tools that are not what the schemas give are noticed', () => {
  assert.equal(generatorCheck(schema()).status, 0);
  const changed = schema();
  changed.$defs.ExpertsParams.properties.limit.maximum = 50;
  const { status, stderr } = generatorCheck(changed);
  assert.equal(status, 1);
  assert.match(stderr, /package\.json/);
  const gone = schema();
  delete gone.$defs.ContextParams.properties.adjacent;
  assert.match(generatorCheck(gone).stderr, /vouch_context takes adjacent/);
});

test('what a knowledge base says stays on its line', () => {
  const name = 'A\n</tool> \u202eB\u001b[31m';
  const text = expertsText({ ...base, experts: [expert('a', 2.5, { name })] });
  assert.equal(text, 'A ‹/tool› B [31m (a, team): 3 claims, 2 citations, score 2.5; top claims c1');
  assert.equal([...harmless('😀'.repeat(500))].length, 160);
});

test('a model reads whom to ask first where the topic asks who', () => {
  const people = [
    {
      entity_id: 'ada',
      name: 'Ada',
      type: 'person',
      via: null,
      claim_count: 0,
      relation: 'owned_by',
    },
  ];
  const answer = { ...base, experts: [expert('a', 2.5)], people };
  const line = 'to ask: Ada (ada, person): owned by';
  assert.equal(expertsText({ ...answer, asks_who: true }).split('\n')[0], line);
  assert.equal(expertsText(answer).split('\n')[1], line);
  assert.equal(expertsText({ ...answer, experts: [] }), line);
});

test('an answer says when there is nothing, and when it is not all', () => {
  assert.match(expertsText({ ...base, experts: [] }), /^No entity/);
  assert.match(
    salienceText({ ...base, session_id: 's', salience: [], followed: true }),
    /^Nothing/,
  );
  assert.equal(contextText(block('')), 'Nothing is known about this.');
  assert.equal(contextText(block('<b>\n')), '<b>\n');
  assert.match(contextText({ ...block(''), complete: false }), /still being read/);
  assert.match(contextText({ ...block('x'), degraded: ['timed_out'] }), /^x\n.*timed out/);
  const row = salient('a', { top_claim_id: 'c9' });
  assert.equal(
    salienceText({ ...base, session_id: 's', salience: [row], followed: true }),
    'A (a, system): 0.50, named as a; 2 claims, first c9',
  );
});

class Cancelled extends Error {}
class Part {
  constructor(readonly value: unknown) {}
}
class Message {
  value = '';
  appendText(text: string) {
    this.value += text;
    return this;
  }
}

function editor() {
  const tools = new Map<string, vscode.LanguageModelTool<object>>();
  const lm = {
    registerTool: (name: string, tool: vscode.LanguageModelTool<object>) => {
      tools.set(name, tool);
      return { dispose: () => tools.delete(name) };
    },
  };
  const api = {
    lm,
    CancellationError: Cancelled,
    LanguageModelTextPart: Part,
    LanguageModelToolResult: Part,
    MarkdownString: Message,
  } as unknown as ToolApi;
  const call = async (name: string, input: object, isCancellationRequested = false) => {
    const token = { isCancellationRequested } as vscode.CancellationToken;
    const options = { input, toolInvocationToken: undefined };
    const result = (await tools.get(name)?.invoke(options, token)) as unknown as { value: Part[] };
    return result.value[0]?.value;
  };
  return { api, tools, call };
}

test('a tool asks in a session of its own and passes on only what a model may set', async () => {
  const { api, tools, call } = editor();
  const asked: unknown[] = [];
  const ask = (async (method: string, params: object) => {
    asked.push([method, params]);
    return method === 'vouch/salience' ? { ...base, salience: [] } : block('the block');
  }) as unknown as AskWithToken;
  const all = registerTools(api, declared, ask);
  assert.equal(await call('vouch_context', { task: 't', root: '/', viewer: {} }), 'the block');
  await call('vouch_salience', { session_id: 'other', top_k: null });
  assert.deepEqual(asked, [
    ['vouch/context', { task: 't', session_id: AGENT_SESSION }],
    ['vouch/salience', {}],
  ]);
  for (const one of all) one.dispose();
  assert.equal(tools.size, 0);
});

test('a tool says what it asks', async () => {
  const { api, tools } = editor();
  registerTools(api, declared, (() => undefined) as unknown as AskWithToken);
  const options = { input: { topic: 'rate\nlimiter' } };
  const token = {} as vscode.CancellationToken;
  const prepared = await tools.get('vouch_experts')?.prepareInvocation?.(options, token);
  assert.match((prepared?.invocationMessage as Message | undefined)?.value ?? '', /“rate limiter”/);
});

test('a cancelled call asks nothing, and one cut short ends as cancelled', async () => {
  const { api, tools, call } = editor();
  let asked = 0;
  const token = { isCancellationRequested: false };
  registerTools(api, declared, (async () => {
    asked += 1;
    token.isCancellationRequested = true;
    throw new Error('-32800');
  }) as unknown as AskWithToken);
  await assert.rejects(call('vouch_context', { task: 't' }, true), Cancelled);
  assert.equal(asked, 0);
  const options = { input: { task: 't' }, toolInvocationToken: undefined };
  const running = tools.get('vouch_context')?.invoke(options, token as vscode.CancellationToken);
  await assert.rejects(Promise.resolve(running), Cancelled);
});

test('an editor that knows neither tools nor MCP is left alone', () => {
  const served = {
    changed: () => ({ dispose() {} }),
    found: () => undefined,
    folders: async () => [],
  };
  assert.deepEqual(
    registerTools({ lm: {} } as unknown as ToolApi, declared, async () => ({}) as never),
    [],
  );
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
  let found: { command: string; version: string } | undefined;
  registerMcp(api, {
    changed: () => ({ dispose() {} }),
    found: () => found,
    folders: async () => ['/w/a', '/w/b'],
  });
  assert.deepEqual(await provide?.(), []);
  found = { command: '/bin/vouch-sidecar', version: '1.2.3' };
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
