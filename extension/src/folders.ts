/** The folders that are opened. */
import * as vscode from 'vscode';

export const workspaceFolders = (): string[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

export const untrustedFolders = (): string[] =>
  vscode.workspace.isTrusted ? [] : workspaceFolders();
