/** Texts of others within a line of ours. */

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

export const quoted = (words: readonly string[]): string =>
  words.map((word) => `“${oneLine(word)}”`).join(', ');
