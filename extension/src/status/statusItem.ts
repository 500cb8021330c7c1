/** The status bar item that says how the server is; a click shows what is served, and what can be done. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { DidChangeStatus, StatusResult } from '../protocol.gen';
import type { ServerProgram } from '../server/discover';
import { plural } from '../text/words';
import { openTarget } from '../tree/open';
import { pausedUntil, problemsOf, type State, summarize } from './state';

const ICONS = { information: 'library', warning: 'warning', error: 'error' };

export function statusItem(): vscode.StatusBarItem {
  const right = vscode.StatusBarAlignment.Right;
  const item = vscode.window.createStatusBarItem('vouchSidecar.status', right);
  item.name = 'Vouch';
  item.command = 'vouchSidecar.showStatus';
  return item;
}

export function drawStatus(
  item: vscode.StatusBarItem,
  state: State,
  health: DidChangeStatus | undefined,
): void {
  const { text, detail, severity, icon = ICONS[severity] } = summarize(state, health);
  const color = `statusBarItem.${severity}Background`; // there is none for information
  const label = [text, detail].filter(Boolean).join(' · ');
  item.text = `$(${icon}) ${text}`;
  item.tooltip = label;
  item.accessibilityInformation = { label }; // else the icon is read, too
  item.backgroundColor = severity === 'information' ? undefined : new vscode.ThemeColor(color);
  item.show();
}

type Entry = vscode.QuickPickItem & { readonly run?: () => Thenable<unknown> };

const execute =
  (command: string, ...args: unknown[]) =>
  () =>
    vscode.commands.executeCommand(command, ...args);

const openSettings = (name: string) => execute('workbench.action.openSettings', name);

export async function showStatus(
  state: State,
  health: DidChangeStatus | undefined,
  program: ServerProgram | undefined,
  pause: (seconds: number | null) => Promise<void>,
): Promise<void> {
  const { text, detail } = summarize(state, health);
  const entries = [
    ...(state.kind === 'ready' ? state.status.roots.map(rootEntry) : []),
    ...(state.kind === 'none' ? state.refused.map(refusedEntry) : []),
    ...problemsOf(state).map(problemEntry),
    ...(state.kind === 'ready' ? pauses(state, pause) : []),
    ...actions(program),
  ];
  const chosen = await vscode.window.showQuickPick(entries, {
    title: text,
    placeHolder: detail,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.run?.();
}

const SINGULAR: Readonly<Record<string, string>> = { entities: 'entity', evidence: 'evidence' };

const rootEntry = ({ root, collection, counts }: StatusResult['roots'][number]): Entry => ({
  label: `$(library) ${collection}`,
  description: root,
  detail: Object.entries(counts)
    .map(([kind, count]) => plural(count, SINGULAR[kind] ?? kind.replace(/s$/, ''), kind))
    .join(' · '),
  run: execute('revealInExplorer', vscode.Uri.file(path.join(root, '.vouch'))),
});

/** The knowledge base of another user. */
const refusedEntry = (detail: string): Entry => ({
  label: '$(lock) not served',
  detail,
  run: openSettings('vouchSidecar.trust.folders'),
});

function problemEntry(problem: ReturnType<typeof problemsOf>[number]): Entry {
  const { root, path: file, line, severity, message } = problem;
  const entry = { label: `$(${severity}) ${file || 'settings'}`, detail: message };
  if (!file) return { ...entry, run: openSettings('vouchSidecar') };
  const uri = vscode.Uri.file(path.join(root, '.vouch', file)).with({ fragment: `L${line}` });
  const run = () => openTarget({ uris: [uri.toString()], passages: [] });
  return { ...entry, description: `line ${line}`, run };
}

/** A pause silences hooks, pushes and hover; what is asked is still answered. */
function pauses(state: State, pause: (seconds: number | null) => Promise<void>): Entry[] {
  const entry = (label: string, seconds: number | null, detail: string): Entry => ({
    label,
    detail,
    run: () => pause(seconds),
  });
  const until = pausedUntil(state);
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
