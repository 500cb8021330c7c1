/** Paragraphs, as the server finds those that are edited. */
import type * as vscode from 'vscode';

const LINES = 20;
/** Lines kept before the one that is asked about, of a paragraph with more than `LINES`. */
const BEFORE = 14;

/** First and last line of the paragraph around a line, from 0. */
export function paragraphAt(
  document: Pick<vscode.TextDocument, 'lineAt' | 'lineCount'>,
  line: number,
): [number, number] {
  const at = Math.min(line, document.lineCount - 1);
  const isBlank = (number: number) => document.lineAt(number).isEmptyOrWhitespace;
  let [first, last] = [at, at];
  while (first > 0 && at - first < LINES && !isBlank(first - 1)) first -= 1;
  while (last < document.lineCount - 1 && last - at < LINES && !isBlank(last + 1)) last += 1;
  if (last - first < LINES) return [first, last];
  first = Math.max(first, at - BEFORE);
  return [first, Math.min(last, first + LINES - 1)];
}
