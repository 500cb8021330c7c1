/** Where in a text a citation or a claim stands. */

interface Place {
  /** From 0. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

const LINES = /\bL(\d{1,7})(?:\s*[-–]\s*L?(\d{1,7}))?/;

/** Lines named by a fragment or locator such as `L12` or `L12-L20`: first line, from 0. */
export function lineOf(locator: string): number | undefined {
  const match = LINES.exec(locator);
  return match?.[1] ? Math.max(0, Number(match[1]) - 1) : undefined;
}

/** The place of the first of `passages` in `text`, however its white space is wrapped. */
export function findPlace(text: string, passages: readonly string[]): Place | undefined {
  for (const passage of passages) {
    const words = passage.trim().split(/\s+/).filter(Boolean).slice(0, 12);
    if (words.length === 0) continue;
    const pattern = words
      .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('\\s+');
    // A key of YAML is found with its value.
    const match = new RegExp(passage.endsWith(':') ? `${pattern}.*` : pattern).exec(text);
    if (match) return placeAt(text, match.index, match[0]);
  }
  return undefined;
}

function placeAt(text: string, index: number, words: string): Place {
  const before = text.slice(0, index).split('\n');
  const start = before.at(-1)?.length ?? 0;
  const firstLine = words.split('\n', 1)[0] ?? '';
  return { line: before.length - 1, start, end: start + firstLine.length };
}
