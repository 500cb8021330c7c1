/** What a row of a topic offers: not to be shown again, or to be declared. */
import * as vscode from 'vscode';
import type { Ask, RootOf } from './views/ask';
import { askEntity } from './views/ask';
import type { Node } from './views/nodes';

const NEVER = 'names.never';

/** Has a topic's name name nothing any more, in the workspace where one is open. */
export async function hideTopic({ subject }: Node): Promise<void> {
  if (!subject) return;
  const settings = vscode.workspace.getConfiguration('vouchSidecar');
  const target = vscode.workspace.workspaceFolders
    ? vscode.ConfigurationTarget.Workspace
    : vscode.ConfigurationTarget.Global;
  const never = settings.get<string[]>(NEVER, []);
  await settings.update(NEVER, [...new Set([...never, subject.name])], target);
}

/** Copies the command line that proposes a topic as an entity. */
export async function copyProposal(ask: Ask, rootOf: RootOf, { subject }: Node): Promise<void> {
  if (!subject) return;
  const { propose } = await askEntity(ask, rootOf, subject);
  if (!propose) return;
  await vscode.env.clipboard.writeText(propose);
  vscode.window.setStatusBarMessage(`Copied: ${propose}`, 5_000);
}
