/** Which rows of a tree have to be drawn again. */
import type { Node } from './nodes';

/** What changed: nothing, some rows that stand where they stood, or the rows themselves. */
export type Difference = { readonly kind: 'none' } | { readonly kind: 'all' } | Touched;

export interface Touched {
  readonly kind: 'some';
  readonly ids: readonly string[];
}

export function difference(before: readonly Node[], after: readonly Node[]): Difference {
  const same =
    before.length === after.length && before.every((row, at) => row.id === after[at]?.id);
  if (!same) return { kind: 'all' };
  const ids = after.filter((row, at) => !looksLike(row, before[at])).map((row) => row.id);
  return ids.length > 0 ? { kind: 'some', ids } : { kind: 'none' };
}

function looksLike(a: Node, b: Node | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
