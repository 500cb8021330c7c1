/** Wires the parts; each of them stands in a file of its own. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { openExample } from './example';
import { workspaceFolders } from './folders';
import { type McpApi, registerMcp } from './mcp';
import { Panel } from './panel';
import { copyContext, insertContext, newPrompt, submitPrompt } from './prompts';
import { Installer } from './server/install';
import { isKnowledgeNear, isKnowledgeNearAny } from './server/knowledgeNearby';
import { type Listeners, Server } from './server/server';
import { isIdle } from './status/state';
import { showStatus } from './status/statusItem';
import { messageOf } from './text/words';
import type { Ask } from './tree/claims';
import type { Node } from './tree/nodes';
import { rowCommands } from './tree/rowCommands';
import { ExpertCommands, wordAtCaret } from './views/askTopic';
import { showChanged } from './views/changed';

const ID = 'vouchSidecar';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Vouch', { log: true });
  const session = `vscode-${randomUUID()}`;
  const ask: Ask = (method, params, collection) =>
    server.ask(method, collection ? { ...params, root: panel.rootOf(collection) } : params);
  const panel = new Panel(ask, log, session, context.workspaceState);
  const installer = new Installer(context, log);
  const server = new Server(context, log, installer, session, listeners(panel, log));
  const start = () => startWhereKnown(panel, installer, server, log);
  const experts = new ExpertCommands(
    panel.experts,
    context.workspaceState,
    () => panel.inPlay.names,
  );
  const settings = () => vscode.workspace.getConfiguration(ID);

  context.subscriptions.push(
    log,
    panel,
    server,
    ...registerMcp(vscode as unknown as McpApi, {
      changed: panel.onDidChangeState,
      program: () =>
        vscode.workspace.isTrusted && !isIdle(panel.state) ? server.program : undefined,
      folders: foldersWithKnowledge,
    }),
    ...registered({
      newPrompt,
      submitPrompt: () => submitPrompt(server),
      copyContext: () => copyContext(server),
      insertContext: () => insertContext(server),
      showStatus: () =>
        showStatus(panel.state, panel.health, server.program, (seconds) => panel.pause(seconds)),
      restart: start,
      showLogs: () => log.show(),
      install: () => installer.installAndStart(start),
      openExample: () => openExample(context),
      clearPath: () => settings().update('path', undefined, vscode.ConfigurationTarget.Global),
      changePath: () =>
        vscode.commands.executeCommand('workbench.action.openSettings', `${ID}.path`),
      resume: () => panel.pause(0),
      changedThisWeek: () => showChanged(ask),
      findExperts: (topic?: unknown) => experts.find(typeof topic === 'string' ? topic : undefined),
      expertsAtCaret: () => experts.find(wordAtCaret()),
      expertsOnRow: (row: { node: Node }) => experts.find(row.node.subject?.name),
      weighExperts: () => experts.weigh(),
      ...rowCommands(ask, panel.inFile, panel.inPlay),
    }),
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
    onStatus: (params) => panel.onStatus(params),
    onPush: (params) => panel.onPush(params),
    onRunning: () => void panel.onServerRunning(),
    onGivenUp: async () => {
      const message = 'The Vouch server keeps ending.';
      if (await vscode.window.showErrorMessage(message, 'Show Logs')) log.show();
    },
  };
}

async function foldersWithKnowledge(): Promise<readonly string[]> {
  const folders = workspaceFolders();
  const isNear = await Promise.all(folders.map(isKnowledgeNear));
  return folders.filter((_, at) => isNear[at]);
}

/** Starts the server where a knowledge base may be in, above or below an opened folder. */
async function startWhereKnown(
  panel: Panel,
  installer: Installer,
  server: Server,
  log: vscode.LogOutputChannel,
): Promise<void> {
  panel.setState({ kind: 'loading' }); // at once: nobody starts it a second time meanwhile
  panel.isNear = await isKnowledgeNearAny(workspaceFolders());
  if (!panel.isNear) {
    log.info('There is no knowledge base in, above or below an opened folder.');
    await server.stop();
    panel.setState({ kind: 'none', refused: [] });
    return;
  }
  await server.restart();
  // What an older version of the extension has installed serves until the carried one is there.
  if (server.program?.origin !== 'installed') return;
  try {
    if (await installer.replaceOlder()) await server.restart();
  } catch (error) {
    log.warn(`The server of an older version stays: ${messageOf(error)}`);
  }
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

function watchers(panel: Panel, server: Server, start: () => Promise<void>): vscode.Disposable[] {
  const startIfIdle = () => (isIdle(panel.state) ? start() : undefined);
  const appearing = vscode.workspace.createFileSystemWatcher('**/.vouch', false, true, true);
  return [
    appearing,
    appearing.onDidCreate(startIfIdle),
    vscode.workspace.onDidChangeWorkspaceFolders(startIfIdle),
    // A server of the workspace may be run by now, and the editor's agents may ask.
    vscode.workspace.onDidGrantWorkspaceTrust(start),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      const starts = ['path', 'trust'].some((key) => event.affectsConfiguration(`${ID}.${key}`));
      if (starts) await start();
      else if (event.affectsConfiguration(ID)) {
        await server.sendSettings();
        panel.refreshSoon();
      }
    }),
  ];
}
