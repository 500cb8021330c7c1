/** What can be done with a row: open what it points at, copy it, hide its topic, dismiss its claim. */
import * as vscode from 'vscode';
import type { InFile } from '../views/inFile';
import type { InPlay } from '../views/inPlay';
import { type Ask, askClaim, askEntity, fileOf, targetOf } from './claims';
import type { Node } from './nodes';
import { openTarget } from './open';

/** The handlers of the commands, by name; each takes the row as the tree view hands it over. */
export const rowCommands = (ask: Ask, inFile: InFile, inPlay: InPlay) => ({
  openRow: async ({ node }: { node: Node }) => {
    const target = await targetOf(ask, node);
    if (target) await openTarget(target);
  },
  openClaim: async ({ node: { claim } }: { node: Node }) => {
    if (claim) await openTarget(fileOf(await askClaim(ask, claim)));
  },
  copyRow: ({ node }: { node: Node }) =>
    vscode.env.clipboard.writeText(node.subject?.name ?? node.label),
  copyProposal: async ({ node: { subject } }: { node: Node }) => {
    const { propose } = subject ? await askEntity(ask, subject) : {};
    if (!propose) return;
    await vscode.env.clipboard.writeText(propose);
    vscode.window.setStatusBarMessage(`Copied: ${propose}`, 5_000);
  },
  hideTopic: ({ node: { subject } }: { node: Node }) =>
    subject ? hideTopic(subject.name, inPlay) : undefined,
  dismissClaim: ({ node }: { node: Node }) => inFile.dismiss(node),
  restoreClaims: () => inFile.restore(),
});

/** Adds a topic to the user's `names.never`, and takes it out again where that is asked for. */
async function hideTopic(name: string, inPlay: InPlay): Promise<void> {
  const settings = () => vscode.workspace.getConfiguration('vouchSidecar');
  const hidden = () => settings().inspect<string[]>('names.never')?.globalValue ?? [];
  const hide = (names: readonly string[]) =>
    settings().update('names.never', names.length > 0 ? names : undefined, true);
  inPlay.hide(name);
  await hide([...new Set([...hidden(), name])]);
  if (!(await vscode.window.showInformationMessage(`Hidden: “${name}”`, 'Undo'))) return;
  inPlay.unhide(name);
  await hide(hidden().filter((other) => other !== name));
}
