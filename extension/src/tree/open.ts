/** Opens what a row points at, at its place. */
import * as vscode from 'vscode';
import { findPlace, lineOf } from '../text/place';
import type { Target } from './nodes';

export async function openTarget(target: Target): Promise<void> {
  const uri = await firstThere(target.uris.map((text) => vscode.Uri.parse(text, true)));
  const document = await vscode.workspace.openTextDocument(uri.with({ fragment: '' }));
  const selection = rangeIn(document, uri.fragment, target);
  await vscode.window.showTextDocument(document, {
    preview: true,
    ...(selection && { selection }),
  });
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

function rangeIn(
  document: vscode.TextDocument,
  fragment: string,
  { locator, passages }: Target,
): vscode.Range | undefined {
  const place = findPlace(document.getText(), passages);
  if (place) return new vscode.Range(place.line, place.start, place.line, place.end);
  const line = lineOf(fragment) ?? lineOf(locator ?? '');
  if (line === undefined || line >= document.lineCount) return undefined;
  return document.lineAt(line).range;
}
