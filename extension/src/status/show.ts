/** The command "Show Status": what is served, what is wrong with it, what can be done. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { Panel } from '../panel';
import type { Server } from '../server/server';
import { openTarget } from '../views/open';
import { allCountsOf, problemsOf, summarize } from './words';

interface Entry extends vscode.QuickPickItem {
  readonly run?: () => Thenable<unknown>;
}

export async function showStatus(panel: Panel, server: Server): Promise<void> {
  const summary = summarize(panel.state, panel.status, panel.health);
  const entries = [...roots(panel), ...refused(panel), ...problems(panel), ...actions(server)];
  const chosen = await vscode.window.showQuickPick(entries, {
    title: summary.text,
    placeHolder: summary.detail,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run?.();
}

function roots({ status }: Panel): Entry[] {
  return (status?.roots ?? []).map(({ root, collection, counts }) => ({
    label: `$(library) ${collection}`,
    description: root,
    detail: allCountsOf(counts),
    run: () =>
      vscode.commands.executeCommand(
        'revealInExplorer',
        vscode.Uri.file(path.join(root, '.vouch')),
      ),
  }));
}

/** Knowledge bases of other users. */
const refused = ({ status }: Panel): Entry[] =>
  (status?.refused ?? []).map((detail) => ({
    label: '$(lock) not served',
    detail,
    run: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', 'vouchSidecar.trust.folders'),
  }));

function problems({ status }: Panel): Entry[] {
  return problemsOf(status).map(({ root, path: file, line, severity, message }) => {
    const entry = { label: `$(${severity}) ${file || 'settings'}`, detail: message };
    if (!file) return { ...entry, run: openSettings };
    const uri = vscode.Uri.file(path.join(root, '.vouch', file)).with({ fragment: `L${line}` });
    const run = () => openTarget({ uris: [uri.toString()], passages: [] });
    return { ...entry, description: `line ${line}`, run };
  });
}

/** Where a setting that stands in no file of the knowledge base can be looked for. */
const openSettings = () =>
  vscode.commands.executeCommand('workbench.action.openSettings', 'vouchSidecar');

function actions(server: Server): Entry[] {
  const command = (label: string, id: string): Entry => ({
    label,
    run: () => vscode.commands.executeCommand(`vouchSidecar.${id}`),
  });
  const where = server.found && `${server.found.version} · ${server.found.command}`;
  return [
    { label: 'Server', kind: vscode.QuickPickItemKind.Separator },
    ...(server.found ? [] : [command('$(cloud-download) Install Server', 'install')]),
    {
      ...command('$(refresh) Restart Server', 'restart'),
      ...(where ? { description: where } : {}),
    },
    command('$(output) Show Logs', 'showLogs'),
  ];
}
