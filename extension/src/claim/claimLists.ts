/** Claims to choose from: those on the files beside the one that is open, those that changed lately. */
import * as vscode from 'vscode';
import { tiedKey } from '../inFile/tiedRows';
import type { ClaimView, FilesResult, TiedClaim } from '../protocol.gen';
import { joined } from '../text/words';
import { fileOf } from '../tree/claims';
import { rowText, type Target } from '../tree/nodes';
import { openTarget } from '../tree/open';

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
  const items = byClaim(files).map(({ claim, places }) => ({
    label: rowText(claim.text),
    description: claim.stale ?? '',
    detail: places.join(', '),
    target: fileOf(claim),
  }));
  if (items.length === 0) throw new Error('No claim is tied to a file of this folder either.');
  await choose('Claims on This Folder', items);
}

/** Each claim once, with the places that it is tied to. */
function byClaim(files: FilesResult['files']): { claim: TiedClaim; places: string[] }[] {
  const byKey = new Map<string, { claim: TiedClaim; places: string[] }>();
  for (const { path, claims } of files) {
    for (const claim of claims) {
      const row = byKey.get(tiedKey(claim)) ?? { claim, places: [] };
      const name = /[^/]*\/?$/.exec(path)?.[0]; // of a folder with its slash
      row.places.push(joined(name, claim.line !== null && `L${claim.line}`));
      byKey.set(tiedKey(claim), row);
    }
  }
  return [...byKey.values()];
}

export async function showChanged(claims: readonly ClaimView[]): Promise<void> {
  const items = claims.map((claim) => ({
    label: rowText(claim.said),
    description: joined(claim.status, claim.date?.slice(0, 10)),
    detail: claim.stale ?? '',
    target: fileOf(claim),
  }));
  if (items.length === 0) throw new Error('No claim changed this week.');
  await choose('Changed This Week', items);
}

type Item = vscode.QuickPickItem & { readonly target: Target };

async function choose(title: string, items: readonly Item[]): Promise<void> {
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: 'Opens the claim',
    matchOnDescription: true,
  });
  if (chosen) await openTarget(chosen.target);
}
