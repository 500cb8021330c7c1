/** Which documents the server is told of. */
import type * as vscode from 'vscode';

const SERVED = ['file', 'untitled', 'git', 'vouch-prompt', 'vscode-notebook-cell'];

export const isServed = ({ uri }: vscode.TextDocument): boolean => SERVED.includes(uri.scheme);
export const SERVED_SELECTOR = SERVED.map((scheme) => ({ scheme }));
