/** Texts of others within a line of ours. */

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
