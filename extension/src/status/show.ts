/** The command "Show Status": what is served, what is wrong with it, what can be done. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { DidChangeStatus, StatusResult } from '../protocol.gen';
import type { Found } from '../server/discover';
import { openTarget } from '../views/open';
import { allCountsOf, problemsOf, type State, summarize } from './words';

interface Entry extends vscode.QuickPickItem {
  readonly run?: () => Thenable<unknown>;
}

/** What is known of the server. */
interface Known {
  readonly state: State;
  readonly status: StatusResult | undefined;
  readonly health: DidChangeStatus | undefined;
}

export async function showStatus(known: Known, server: Found | undefined): Promise<void> {
  const { state, status, health } = known;
  const summary = summarize(state, status, health);
  const entries = [...roots(status), ...refused(status), ...problems(status), ...actions(server)];
  const chosen = await vscode.window.showQuickPick(entries, {
    title: summary.text,
    placeHolder: summary.detail,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run?.();
}

function roots(status: Known['status']): Entry[] {
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
const refused = (status: Known['status']): Entry[] =>
  (status?.refused ?? []).map((detail) => ({
    label: '$(lock) not served',
    detail,
    run: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', 'vouchSidecar.trust.folders'),
  }));

function problems(status: Known['status']): Entry[] {
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

function actions(server: Found | undefined): Entry[] {
  const command = (label: string, id: string): Entry => ({
    label,
    run: () => vscode.commands.executeCommand(`vouchSidecar.${id}`),
  });
  const where = server && `${server.version} · ${server.command}`;
  return [
    { label: 'Server', kind: vscode.QuickPickItemKind.Separator },
    ...(server ? [] : [command('$(cloud-download) Install Server', 'install')]),
    {
      ...command('$(refresh) Restart Server', 'restart'),
      ...(where ? { description: where } : {}),
    },
    command('$(output) Show Logs', 'showLogs'),
  ];
}
