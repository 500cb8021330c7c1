/** Paragraphs. */
import type * as vscode from 'vscode';

/** Lines before or behind, at most. */
const MOST = 10;

/** First and last line of the paragraph around a line, from 0. */
export function paragraphAt(
  document: Pick<vscode.TextDocument, 'lineAt' | 'lineCount'>,
  line: number,
): [number, number] {
  const isText = (at: number) =>
    at >= 0 && at < document.lineCount && !document.lineAt(at).isEmptyOrWhitespace;
  let [first, last] = [line, line];
  while (line - first < MOST && isText(first - 1)) first -= 1;
  while (last - line < MOST && isText(last + 1)) last += 1;
  return [first, last];
}
