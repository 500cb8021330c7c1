/** The folders that are opened, and which documents the server is told of. */
import * as vscode from 'vscode';
import { PROMPT_DOCUMENT } from './protocol.gen';

export const workspaceFolders = (): string[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

export const untrustedFolders = (): string[] =>
  vscode.workspace.isTrusted ? [] : workspaceFolders();

const SERVED = ['file', 'untitled', 'git', PROMPT_DOCUMENT, 'vscode-notebook-cell'];

export const isServed = ({ uri }: vscode.TextDocument): boolean => SERVED.includes(uri.scheme);
export const SERVED_SELECTOR = SERVED.map((scheme) => ({ scheme }));
