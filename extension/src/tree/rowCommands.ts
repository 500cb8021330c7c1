/** What can be done with a row: open what it points at, copy it, hide its topic. */
import * as vscode from 'vscode';
import type { InPlay } from '../views/inPlay';
import { type Ask, askClaim, type Node, type Target, targetOf } from './nodes';

/** The handlers of the commands, by name. */
export const rowCommands = (ask: Ask, inPlay: InPlay) => ({
  openRow: async (node: Node) => {
    const target = await targetOf(ask, node);
    if (target) await openTarget(target);
  },
  openClaim: async ({ claim }: Node) => {
    if (claim) await openTarget([(await askClaim(ask, claim)).uri]);
  },
  copyRow: ({ subject, label }: Node) => vscode.env.clipboard.writeText(subject?.name ?? label),
  hideTopic: async ({ subject }: Node) => {
    if (!subject) return;
    inPlay.drop(subject);
    const settings = vscode.workspace.getConfiguration('vouchSidecar');
    const hidden = settings.inspect<string[]>('names.never')?.globalValue ?? [];
    await settings.update('names.never', [...new Set([...hidden, subject.name])], true);
    const message = `“${subject.name}” is hidden: the setting names.never shows it again`;
    vscode.window.setStatusBarMessage(message, 5_000);
  },
});

let opening = false;

/** Whether a place is being opened that moves the caret. */
export const isOpening = (): boolean => opening;

/** Opens the first file that is there, at its line. */
export async function openTarget(target: Target): Promise<void> {
  const uri = await firstThere(target.map((text) => vscode.Uri.parse(text, true)));
  const document = await vscode.workspace.openTextDocument(uri.with({ fragment: '' }));
  const line = Number(/^L(\d{1,7})/.exec(uri.fragment)?.[1] ?? 0) - 1;
  const isThere = line >= 0 && line < document.lineCount;
  const options = isThere ? { selection: document.lineAt(line).range } : {};
  opening = isThere || document !== vscode.window.activeTextEditor?.document;
  try {
    await vscode.window.showTextDocument(document, options);
  } finally {
    opening = false;
  }
}

async function firstThere(uris: readonly vscode.Uri[]): Promise<vscode.Uri> {
  for (const uri of uris.filter(({ scheme }) => scheme === 'file')) {
    try {
      const { type } = await vscode.workspace.fs.stat(uri);
      if (type & vscode.FileType.File) return uri;
    } catch {
      // The next one may be there.
    }
  }
  throw new Error('The file is no longer there.');
}
