/** Says that something went wrong. */
import * as vscode from 'vscode';
import { messageOf } from './text/words';

/** A warning goes by itself, which an error with a button does not; with a `log`, a button shows it. */
export async function warn(error: unknown, log?: vscode.LogOutputChannel): Promise<void> {
  const buttons = log ? ['Show Logs'] : [];
  const message = `Vouch: ${messageOf(error)}`;
  if (await vscode.window.showWarningMessage(message, ...buttons)) log?.show();
}
