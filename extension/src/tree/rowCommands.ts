/** What can be done with a row: open what it points at, copy it, hide its topic, dismiss its claim. */
import * as vscode from 'vscode';
import type { InFile } from '../views/inFile';
import type { InPlay } from '../views/inPlay';
import { type Ask, askClaim, targetOf } from './claims';
import type { Node } from './nodes';
import { openTarget } from './open';

/** The handlers of the commands, by name. */
export const rowCommands = (ask: Ask, inFile: InFile, inPlay: InPlay) => ({
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
  dismissClaim: (node: Node) => inFile.dismiss(node),
  restoreClaims: () => inFile.restore(),
});
