/** Wires the parts; each of them stands in a file of its own. */

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Agents } from './agents/agents';
import { showChanged, showFolderClaims } from './claim/claimLists';
import { openExample } from './example';
import { ExpertCommands, wordAtCaret } from './experts/expertCommands';
import { Explain } from './explain/explain';
import { workspaceFolders } from './folders';
import { Panel } from './panel';
import { copyContext, insertContext, newPrompt, PromptHint, submitPrompt } from './prompts/prompts';
import type { DidChangeSalience, DidChangeStatus, PromptParams } from './protocol.gen';
import { installAndStart, replaceOlder } from './server/install';
import { isKnowledgeNear } from './server/knowledgeNearby';
import { type Listeners, Server } from './server/server';
import { type KnownStatus, showStatus } from './status/show';
import { isIdle, type State } from './status/words';
import { messageOf } from './text/errors';
import type { Ask } from './tree/ask';
import type { EntityNode, Node } from './tree/nodes';
import { rowCommands } from './tree/rowCommands';

const ID = 'vouchSidecar';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Vouch', { log: true });
  const sessionId = `vscode-${randomUUID()}`;
  const ask: Ask = (method, params, collection) =>
    server.ask(method, collection ? { ...params, root: panel.rootOf(collection) } : params);
  const submit = (text: string) =>
    server.notify('vouch/prompt', { session_id: sessionId, text } satisfies PromptParams);
  const panel = new Panel(ask, submit, log, sessionId, context.workspaceState);
  const server = new Server(context, log, sessionId, listeners(panel, log));
  const start = () => startWhereKnown(context, (state) => panel.setState(state), server, log);
  const agents = new Agents(context, server);
  const explain = new Explain(ask, panel.experts, panel.inFile);
  const experts = new ExpertCommands(panel.experts, context.workspaceState, ask, {
    inPlay: () => panel.names,
    like: (typed) => server.namesLike(typed),
  });

  context.subscriptions.push(
    log,
    panel,
    server,
    agents,
    explain,
    ...registered({ explain: (row?: { node: Node }) => explain.run(row?.node) }),
    panel.onDidChangeState((state) => agents.setState(state)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => agents.setState(panel.state)),
    new PromptHint(),
    ...commands(context, log, panel, server, start),
    ...registered(rowCommands(ask, panel.inFile, server)),
    ...expertCommands(experts),
    ...watchers(panel, server, start),
  );
  void start();
}

export function deactivate(): void {
  // VS Code disposes of the subscriptions; the server ends with its connection.
}

function listeners(panel: Panel, log: vscode.LogOutputChannel): Listeners {
  return {
    onState: (state) => panel.setState(state),
    onNotification: (method, params) => {
      if (method === 'vouch/didChangeSalience') panel.onSalience(params as DidChangeSalience);
      else panel.onStatus(params as DidChangeStatus);
    },
    onRunning: (again) => {
      panel.begin(again).catch((error) => log.warn(`The panel did not fill: ${messageOf(error)}`));
    },
    onCrashLoop: () => void offerLogs(log, 'The Vouch server keeps ending.'),
    knowledgeBases: () => panel.knowledgeBases,
  };
}

async function offerLogs(log: vscode.LogOutputChannel, message: string): Promise<void> {
  if (await vscode.window.showErrorMessage(message, 'Show Logs')) log.show();
}

/** Starts the server where a knowledge base may be in, above or below an opened folder. */
async function startWhereKnown(
  context: vscode.ExtensionContext,
  setState: (state: State) => void,
  server: Server,
  log: vscode.LogOutputChannel,
): Promise<void> {
  setState('loading'); // at once: nobody starts it a second time meanwhile
  for (const folder of workspaceFolders()) {
    if (await isKnowledgeNear(folder)) {
      await server.restart();
      if (server.found?.origin === 'installed') await update(context, server, log);
      return;
    }
  }
  log.info('There is no knowledge base in, above or below an opened folder.');
  await server.stop();
  setState('none');
}

/** What an older version of the extension has installed serves until the carried one is there. */
async function update(
  context: vscode.ExtensionContext,
  server: Server,
  log: vscode.LogOutputChannel,
): Promise<void> {
  try {
    if (await replaceOlder(context, log)) await server.restart();
  } catch (error) {
    log.warn(`The server of an older version stays: ${messageOf(error)}`);
  }
}

function commands(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  status: KnownStatus,
  server: Server,
  start: () => Promise<void>,
): vscode.Disposable[] {
  return registered({
    newPrompt,
    submitPrompt: () => submitPrompt(server),
    copyContext: () => copyContext(server),
    insertContext: () => insertContext(server),
    showStatus: () => showStatus(status, server.found),
    restart: start,
    showLogs: () => log.show(),
    install: () => installAndStart(context, log, start),
    openExample: () => openExample(context),
    clearPath: () =>
      vscode.workspace
        .getConfiguration(ID)
        .update('path', undefined, vscode.ConfigurationTarget.Global),
    changePath: () => vscode.commands.executeCommand('workbench.action.openSettings', `${ID}.path`),
    resume: () => status.pause(0),
    changedThisWeek: async () => showChanged(await server.changed('7d')),
    folderClaims: () => showFolderClaims((paths) => server.ask('vouch/files', { paths })),
  });
}

function expertCommands(experts: ExpertCommands): vscode.Disposable[] {
  return registered({
    findExperts: (topic?: unknown) => experts.find(typeof topic === 'string' ? topic : undefined),
    expertsAtCaret: () => experts.find(wordAtCaret()),
    showAllExperts: () => experts.showAll(),
    allTypes: () => experts.showTypes([]),
    expertsOnRow: (row: { node: EntityNode }) => experts.find(row.node.subject.name),
    filterExperts: () => experts.filter(),
  });
}

function registered(handlers: Record<string, (...args: never[]) => unknown>): vscode.Disposable[] {
  return Object.entries(handlers).map(([name, handler]) =>
    vscode.commands.registerCommand(`${ID}.${name}`, async (...args: never[]) => {
      try {
        await handler(...args);
      } catch (error) {
        void vscode.window.showWarningMessage(`Vouch: ${messageOf(error)}`);
      }
    }),
  );
}

function watchers(
  panel: Pick<Panel, 'state' | 'settle'>,
  server: Server,
  start: () => Promise<void>,
): vscode.Disposable[] {
  const startIfIdle = () => (isIdle(panel.state) ? start() : undefined);
  const appearing = vscode.workspace.createFileSystemWatcher('**/.vouch', false, true, true);
  return [
    appearing,
    appearing.onDidCreate(startIfIdle),
    vscode.workspace.onDidChangeWorkspaceFolders(startIfIdle),
    vscode.workspace.onDidGrantWorkspaceTrust(startIfIdle),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      const starts = ['path', 'trust'].some((key) => event.affectsConfiguration(`${ID}.${key}`));
      if (starts) await start();
      else if (event.affectsConfiguration(ID)) {
        await server.sendSettings();
        panel.settle();
      }
    }),
  ];
}
