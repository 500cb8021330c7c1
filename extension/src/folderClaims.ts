/** The claims on the files beside the one that is open, to choose from. */
import * as vscode from 'vscode';
import type { FilesResult } from './protocol.gen';
import { joined } from './views/nodes';
import { openTarget } from './views/open';

const MAX_FILES = 500;

export async function showFolderClaims(
  ask: (paths: string[]) => Promise<FilesResult>,
): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') throw new Error('The open document lies in no folder.');
  const folder = vscode.Uri.joinPath(uri, '..');
  const entries = await vscode.workspace.fs.readDirectory(folder);
  const paths = entries
    .filter(([, type]) => type & vscode.FileType.File)
    .map(([name]) => vscode.Uri.joinPath(folder, name).fsPath);
  const { files } = await ask(paths.slice(0, MAX_FILES));
  const items = files.flatMap(({ path, claims }) =>
    claims.map((claim) => ({
      label: claim.text.replaceAll(/\s+/g, ' ').trim(),
      description: joined(path.split('/').at(-1), claim.line !== null && `L${claim.line}`),
      detail: joined(claim.why, claim.stale),
      target: { uris: [claim.uri], needles: [claim.text, 'text:'] },
    })),
  );
  if (items.length === 0) throw new Error('No claim is tied to a file of this folder either.');
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Claims on This Folder',
    placeHolder: 'Opens the claim',
    matchOnDescription: true,
  });
  if (chosen) await openTarget(chosen.target);
}
