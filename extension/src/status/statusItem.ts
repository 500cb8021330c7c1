/** The status bar item that says how the server is; a click shows what is served, and what can be done. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { ServerProgram } from '../server/discover';
import { joined, plural } from '../text/words';
import { pausedUntil, problemsOf, type State, summarize } from './state';

const ICONS = { information: 'library', warning: 'warning', error: 'error' };

export function statusItem(): vscode.StatusBarItem {
  const right = vscode.StatusBarAlignment.Right;
  const item = vscode.window.createStatusBarItem('vouchSidecar.status', right);
  item.name = 'Vouch';
  item.command = 'vouchSidecar.showStatus';
  return item;
}

/** Without a knowledge base there is nothing to say. */
export function drawStatus(item: vscode.StatusBarItem, state: State): void {
  const { text, detail, severity } = summarize(state);
  const color = `statusBarItem.${severity}Background`; // there is none for information
  const label = [text, detail].filter(Boolean).join(' · ');
  item.text = `$(${state.kind === 'loading' ? 'loading~spin' : ICONS[severity]}) ${text}`;
  item.tooltip = label;
  item.accessibilityInformation = { label }; // else the icon is read, too
  item.backgroundColor = severity === 'information' ? undefined : new vscode.ThemeColor(color);
  if (state.kind === 'none') item.hide();
  else item.show();
}

type Entry = vscode.QuickPickItem & { readonly command?: string; readonly argument?: unknown };

/** Shows what is served, what is wrong, and what can be done. */
export async function showStatus(state: State, program: ServerProgram | undefined): Promise<void> {
  const { text, detail } = summarize(state);
  const chosen = await vscode.window.showQuickPick<Entry>(entriesOf(state, program), {
    title: text,
    placeHolder: detail,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command, chosen.argument);
}

function entriesOf(state: State, program: ServerProgram | undefined): Entry[] {
  const entry = (label: string, detail: string, command: string, argument?: unknown): Entry => ({
    label,
    detail,
    command,
    argument,
  });
  const { roots = [], refused = [] } = state.status ?? {};
  const paused = state.status ? pausedUntil(state.status) : '';
  const [problem, ...others] = problemsOf(state);
  const problems = `$(warning) ${plural(others.length + 1, 'problem')}`;
  const settings = 'workbench.action.openSettings';
  const running = joined(program?.version, program?.command);
  return [
    ...roots.map(({ root, collection }) => {
      const uri = vscode.Uri.file(path.join(root, '.vouch'));
      return entry(`$(library) ${collection}`, root, 'revealInExplorer', uri);
    }),
    ...refused.map((why) =>
      entry('$(lock) not served', why, settings, 'vouchSidecar.trust.folders'),
    ),
    ...(problem ? [entry(problems, problem.message, 'workbench.actions.view.problems')] : []),
    ...(paused ? [entry('$(debug-continue) Resume', paused, 'vouchSidecar.pause', 0)] : []),
    ...(state.kind !== 'paused' && roots.length > 0
      ? [
          entry('$(debug-pause) Pause for an Hour', PAUSE, 'vouchSidecar.pause', 3_600),
          entry('$(debug-pause) Pause', `${PAUSE}, until resumed`, 'vouchSidecar.pause', null),
        ]
      : []),
    { label: 'Server', kind: vscode.QuickPickItemKind.Separator },
    program
      ? entry('$(refresh) Restart Server', running, 'vouchSidecar.restart')
      : entry('$(cloud-download) Install Server', '', 'vouchSidecar.install'),
    entry('$(output) Show Logs', '', 'vouchSidecar.showLogs'),
  ];
}

/** What is asked is still answered. */
const PAUSE = 'Hooks, hover and In Play say nothing';
