/** The text that somebody works on: what a block is made for, and what is explained. */
import * as vscode from 'vscode';

export const PROMPT_LANGUAGE = 'vouch-prompt';
const LINES = 20;

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

/** First and last line of the paragraph around a line, from 0. */
export function paragraphAt(document: vscode.TextDocument, line: number): [number, number] {
  const at = Math.min(line, document.lineCount - 1);
  const isBlank = (number: number) => document.lineAt(number).isEmptyOrWhitespace;
  let [first, last] = [at, at];
  while (first > 0 && at - first < LINES - 1 && !isBlank(first - 1)) first -= 1;
  while (last < document.lineCount - 1 && last - at < LINES - 1 && !isBlank(last + 1)) last += 1;
  return [first, last];
}
