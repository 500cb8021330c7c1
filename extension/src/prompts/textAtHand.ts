/** The text that somebody works on: what a block is made for, and what is explained. */
import * as vscode from 'vscode';
import { paragraphAt } from '../text/paragraph';

export const PROMPT_LANGUAGE = 'vouch-prompt';

/** What is selected, all of a prompt, or the paragraph around a line: that of the caret if none is given. */
export function textAtHand(line?: number): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return '';
  const { document, selection } = editor;
  if (line === undefined && !selection.isEmpty) return document.getText(selection);
  if (line === undefined && document.languageId === PROMPT_LANGUAGE) return document.getText();
  const [first, last] = paragraphAt(document, line ?? selection.active.line);
  return document.getText(new vscode.Range(first, 0, last + 1, 0));
}
