/** Wires the parts; each of them stands in a file of its own. */
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { makeKnowledgeBase, openExample } from './begin';
import { registerMcp } from './mcp';
import { Panel } from './panel';
import { copyContext, insertContext, newPrompt, submitPrompt } from './prompts';
import { coalesce } from './server/coalesce';
import { Installer } from './server/install';
import { withKnowledge } from './server/knowledgeNearby';
import { Server } from './server/server';
import { isIdle } from './status/state';
import { showStatus } from './status/statusItem';
import type { Ask, Node } from './tree/nodes';
import { rowCommands } from './tree/rowCommands';
import { findExperts, weighExperts, wordAtCaret } from './views/askTopic';
import { warn } from './warn';
import { workspaceFolders } from './workspace';

const ID = 'vouchSidecar';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Vouch', { log: true });
  const session = `vscode-${randomUUID()}`;
  const ask: Ask = (method, params, collection) =>
    server.ask(method, collection ? { ...params, root: panel.rootOf(collection) } : params);
  const panel = new Panel(ask, log, session);
  const installer = new Installer(context, log);
  const server = new Server(context, log, installer, session, panel);
  const start = coalesce(() => server.startWhereKnown());
  const find = (topic?: string) => findExperts(panel.experts, topic);

  context.subscriptions.push(
    log,
    panel,
    server,
    ...registerMcp(vscode, {
      changed: panel.onDidChangeState,
      program: () =>
        vscode.workspace.isTrusted && !isIdle(panel.state) ? server.program : undefined,
      folders: () => withKnowledge(workspaceFolders()),
    }),
    ...registered({
      newPrompt,
      submitPrompt: () => submitPrompt(server),
      copyContext: () => copyContext(server),
      insertContext: () => insertContext(server),
      showStatus: () => showStatus(panel.state, server.program),
      restart: start,
      showLogs: () => log.show(),
      install: () => installer.installAndStart(start),
      makeKnowledgeBase,
      openExample: () => openExample(context),
      pause: (seconds: number | null) => panel.pause(seconds),
      findExperts: (topic?: unknown) => find(typeof topic === 'string' ? topic : undefined),
      expertsAtCaret: () => find(wordAtCaret()),
      expertsOnRow: ({ subject }: Node) => find(subject?.name),
      weighExperts: () => weighExperts(panel.experts),
      ...rowCommands(ask, panel.inPlay),
    }),
    ...watchers(panel, server, start),
  );
  void start();
}

function registered(handlers: Record<string, (...args: never[]) => unknown>): vscode.Disposable[] {
  return Object.entries(handlers).map(([name, handler]) =>
    vscode.commands.registerCommand(`${ID}.${name}`, async (...args: never[]) => {
      try {
        await handler(...args);
      } catch (error) {
        void warn(error);
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
        await panel.refresh();
      }
    }),
  ];
}
