import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { workspaceFolders } from './folders';

/** Opens the courier knowledge base that the extension carries, in a folder to play in. */
export async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'vouch-example-')), 'courier');
  await cp(context.asAbsolutePath('example'), folder, { recursive: true });
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), {
    forceNewWindow: workspaceFolders().length > 0,
  });
}
