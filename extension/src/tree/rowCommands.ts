/** What can be done with a row: open what it points at, copy it, hide its topic, dismiss its claim. */
import * as vscode from 'vscode';
import type { InFile } from '../views/inFile';
import type { InPlay } from '../views/inPlay';
import { type Ask, askClaim, askEntity, targetOf } from './claims';
import type { Node, Subject } from './nodes';
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
  copyProposal: async ({ subject }: Node) => {
    const { propose } = subject ? await askEntity(ask, subject) : {};
    if (!propose) return;
    await vscode.env.clipboard.writeText(propose);
    vscode.window.setStatusBarMessage(`Copied: ${propose}`, 5_000);
  },
  hideTopic: async ({ subject }: Node) => {
    if (!subject) return;
    inPlay.drop(subject);
    await hideTopic(subject);
  },
  dismissClaim: (node: Node) => inFile.dismiss(node),
  restoreClaims: () => inFile.restore(),
});

/** Adds a topic to the user's `names.never`, and takes it out again where that is asked for. */
async function hideTopic({ name }: Subject): Promise<void> {
  const settings = () => vscode.workspace.getConfiguration('vouchSidecar');
  const others = () => {
    const hidden = settings().inspect<string[]>('names.never')?.globalValue ?? [];
    return hidden.filter((other) => other !== name);
  };
  const hide = (names: readonly string[]) =>
    settings().update('names.never', names.length > 0 ? names : undefined, true);
  await hide([...others(), name]);
  if (await vscode.window.showInformationMessage(`Hidden: “${name}”`, 'Undo')) await hide(others());
}
