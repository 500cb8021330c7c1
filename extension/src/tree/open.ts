/** Opens what a row points at, at its line. */
import * as vscode from 'vscode';
import type { Target } from './nodes';

export async function openTarget(target: Target): Promise<void> {
  const uri = await firstThere(target.map((text) => vscode.Uri.parse(text, true)));
  const document = await vscode.workspace.openTextDocument(uri.with({ fragment: '' }));
  const line = Number(/^L(\d{1,7})/.exec(uri.fragment)?.[1] ?? 0) - 1;
  const isThere = line >= 0 && line < document.lineCount;
  await vscode.window.showTextDocument(document, {
    preview: true,
    ...(isThere && { selection: document.lineAt(line).range }),
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
