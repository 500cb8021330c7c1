/** What can be done with a row: open what it points at, copy it, hide its topic, dismiss its claim. */
import * as vscode from 'vscode';
import type { InFile } from '../inFile/inFileView';
import type { InPlay } from '../inPlay/inPlayView';
import { type Ask, askEntity, targetOf } from './ask';
import { type ClaimNode, type EntityNode, type Node, nameOf } from './nodes';
import { openTarget } from './open';

/** The handlers of the commands, by name; each takes the row as the tree view hands it over. */
export const rowCommands = (
  ask: Ask,
  inFile: Pick<InFile, 'dismiss' | 'restore'>,
  inPlay: Pick<InPlay, 'hide'>,
) => ({
  openRow: async ({ node }: { node: Node }) => {
    const target = await targetOf(ask, node);
    if (target) await openTarget(target);
  },
  openClaim: ({ node }: { node: ClaimNode }) => openTarget(node.file),
  copyRow: ({ node }: { node: Node }) => vscode.env.clipboard.writeText(nameOf(node)),
  copyProposal: async ({ node }: { node: EntityNode }) => {
    const { propose } = await askEntity(ask, node.subject);
    if (!propose) return;
    await vscode.env.clipboard.writeText(propose);
    vscode.window.setStatusBarMessage(`Copied: ${propose}`, 5_000);
  },
  hideTopic: ({ node }: { node: EntityNode }) => {
    inPlay.hide(node);
    return hideTopic(node.subject.name);
  },
  dismissClaim: ({ node }: { node: ClaimNode }) => inFile.dismiss(node),
  restoreClaims: () => inFile.restore(),
});

/** Adds a topic to the user's `names.never`, and takes it out again where that is asked for. */
async function hideTopic(name: string): Promise<void> {
  const settings = () => vscode.workspace.getConfiguration('vouchSidecar');
  const hidden = () => settings().inspect<string[]>('names.never')?.globalValue ?? [];
  const hide = (names: readonly string[]) =>
    settings().update('names.never', names.length > 0 ? names : undefined, true);
  await hide([...new Set([...hidden(), name])]);
  const chosen = await vscode.window.showInformationMessage(`Hidden: “${name}”`, 'Undo');
  if (chosen) await hide(hidden().filter((other) => other !== name));
}
