/** Texts of others within a line of ours, paragraphs, and blocks in a prompt. */
import type * as vscode from 'vscode';

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

export const quoted = (words: readonly string[]): string =>
  words.map((word) => `“${oneLine(word)}”`).join(', ');

export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`;

export const joined = (...parts: (string | null | undefined | false)[]): string =>
  parts.filter(Boolean).join(' · ');

/** What an error says. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

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

/** First and last line, from 0, of a block that a text has, by those of another block; or none. */
export function blockIn(text: string, block: string): number[] {
  const lines = text.split(/\r?\n/);
  const [first = '', ...others] = block.split('\n');
  const end = lines.indexOf(others.at(-1) ?? '', lines.indexOf(first) + 1);
  const start = lines.lastIndexOf(first, end);
  return end >= 0 && start >= 0 ? [start, end] : [];
}
