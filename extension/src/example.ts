/** "Open Example": the courier knowledge base that the extension carries, in a folder to play in. */
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';

export async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'vouch-example-')), 'courier');
  await cp(context.asAbsolutePath('example'), folder, { recursive: true });
  const isBusy = (vscode.workspace.workspaceFolders ?? []).length > 0;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), {
    forceNewWindow: isBusy,
  });
}
