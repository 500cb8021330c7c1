/** Where there is no knowledge base: the example, and the command that makes one. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { isPlain } from './text/paths';
import { workspaceFolders } from './workspace';

/** Opens the courier knowledge base that the extension carries, in a folder to play in. */
export async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'vouch-example-')), 'courier');
  await cp(context.asAbsolutePath('example'), folder, { recursive: true });
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), {
    forceNewWindow: workspaceFolders().length > 0,
  });
}

/** Where decisions and other documents lie. */
const DOCUMENTS = '{docs,doc,adr,adrs,rfcs}/**/*.md';
const MOST_DOCUMENTS = 1_000;

/**
 * Types the command that makes a knowledge base, of the folder that holds most documents, into a
 * terminal; whoever reads it runs it.
 */
export async function makeKnowledgeBase(): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (!folder) throw new Error('Open the folder of your project first.');
  const documents = new vscode.RelativePattern(folder, DOCUMENTS);
  const files = new Map<string, number>();
  for (const document of await vscode.workspace.findFiles(documents, undefined, MOST_DOCUMENTS)) {
    const place = path.posix.dirname(vscode.workspace.asRelativePath(document, false));
    files.set(place, (files.get(place) ?? 0) + 1);
  }
  const [place] = [...files.keys()].sort((a, b) => (files.get(b) ?? 0) - (files.get(a) ?? 0));
  const steps = existsSync(path.join(folder.uri.fsPath, '.vouch')) ? [] : ['vouch init'];
  if (place && isPlain(place) && process.platform !== 'win32') {
    steps.push(`for file in ${place}/*.md; do vouch ingest "$file"; done`);
  }
  if (steps.length === 0) steps.push('vouch ingest ');
  const terminal = vscode.window.createTerminal({ name: 'Vouch', cwd: folder.uri });
  terminal.show();
  await prompting(terminal);
  terminal.sendText(steps.join(' && '), false);
}

/** Waits for the prompt, at most five seconds: a shell shows twice what is typed before. */
async function prompting(meant: vscode.Terminal): Promise<void> {
  let listening: vscode.Disposable | undefined;
  await new Promise<void>((resolve) => {
    listening = vscode.window.onDidChangeTerminalShellIntegration(({ terminal }) => {
      if (terminal === meant) resolve();
    });
    setTimeout(resolve, 5_000);
  });
  listening?.dispose();
}
