/** The command "Show Status": what is served, what is wrong with it, what can be done. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { Panel } from '../panel';
import type { StatusResult } from '../protocol.gen';
import type { ServerProgram } from '../server/discover';
import { openTarget } from '../tree/open';
import { allCountsOf, pausedUntil, problemsOf, summarize } from './summary';

type Entry = vscode.QuickPickItem & { readonly run?: () => Thenable<unknown> };

/** What is known of the server. */
type ServerStatus = Pick<Panel, 'state' | 'status' | 'health' | 'pause'>;

const execute =
  (command: string, ...args: unknown[]) =>
  () =>
    vscode.commands.executeCommand(command, ...args);

const openSettings = (name: string) => execute('workbench.action.openSettings', name);

export async function showStatus(
  server: ServerStatus,
  program: ServerProgram | undefined,
): Promise<void> {
  const { state, status, health } = server;
  const summary = summarize(state, status, health);
  const entries = [
    ...roots(status),
    ...refused(status),
    ...problems(status),
    ...(state === 'ready' && status ? pauses(server, status) : []),
    ...actions(program),
  ];
  const chosen = await vscode.window.showQuickPick(entries, {
    title: summary.text,
    placeHolder: summary.detail,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run?.();
}

const roots = (status: ServerStatus['status']): Entry[] =>
  (status?.roots ?? []).map(({ root, collection, counts }) => ({
    label: `$(library) ${collection}`,
    description: root,
    detail: allCountsOf(counts),
    run: execute('revealInExplorer', vscode.Uri.file(path.join(root, '.vouch'))),
  }));

/** Knowledge bases of other users. */
const refused = (status: ServerStatus['status']): Entry[] =>
  (status?.refused ?? []).map((detail) => ({
    label: '$(lock) not served',
    detail,
    run: openSettings('vouchSidecar.trust.folders'),
  }));

function problems(status: ServerStatus['status']): Entry[] {
  return problemsOf(status).map(({ root, path: file, line, severity, message }) => {
    const entry = { label: `$(${severity}) ${file || 'settings'}`, detail: message };
    if (!file) return { ...entry, run: openSettings('vouchSidecar') };
    const uri = vscode.Uri.file(path.join(root, '.vouch', file)).with({ fragment: `L${line}` });
    const run = () => openTarget({ uris: [uri.toString()], passages: [] });
    return { ...entry, description: `line ${line}`, run };
  });
}

/** A pause silences hooks, pushes and hover; what is asked is still answered. */
function pauses(server: ServerStatus, status: StatusResult): Entry[] {
  const entry = (label: string, seconds: number | null, detail: string): Entry => ({
    label,
    detail,
    run: () => server.pause(seconds),
  });
  const until = pausedUntil(status);
  if (until) return [entry('$(debug-continue) Resume', 0, `Paused ${until}`)];
  return [
    entry('$(debug-pause) Pause for an Hour', 3_600, 'Hooks, hover and In Play say nothing'),
    entry('$(debug-pause) Pause', null, 'Until it is resumed, or the system starts anew'),
  ];
}

const actions = (program: ServerProgram | undefined): Entry[] => [
  { label: 'Server', kind: vscode.QuickPickItemKind.Separator },
  ...(program
    ? []
    : [{ label: '$(cloud-download) Install Server', run: execute('vouchSidecar.install') }]),
  {
    label: '$(refresh) Restart Server',
    description: program ? `${program.version} · ${program.command}` : '',
    run: execute('vouchSidecar.restart'),
  },
  { label: '$(output) Show Logs', run: execute('vouchSidecar.showLogs') },
];
