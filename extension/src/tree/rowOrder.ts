/** In which order rows stand while somebody reads them, and which have to be drawn again. */
import { keyOf, type Node, type Row } from './nodes';

export interface Shown<R> {
  readonly row: R;
  /** No longer ranked, kept because somebody has it, or one below it, open. */
  readonly gone: boolean;
}

/**
 * The ranking as it is, unless rows are open, or `steady`: then what stands keeps its place, and
 * newcomers go to the end. What is open, and what stands above it, stays though it is ranked no more.
 */
export function steadyOrder<R extends Row>(
  before: readonly Shown<R>[],
  ranking: readonly R[],
  open: (key: string) => boolean,
  steady = false,
): Shown<R>[] {
  const ranked = new Map(ranking.map((row) => [keyOf(row), row]));
  if (!steady && !before.some((shown) => open(keyOf(shown.row)))) {
    return ranking.map((row) => ({ row, gone: false }));
  }
  const read = before.findLastIndex(({ row }) => open(keyOf(row)));
  const kept = before.flatMap(({ row }, at) => {
    const now = ranked.get(keyOf(row));
    if (now) return [{ row: now, gone: false }];
    return at <= read ? [{ row, gone: true }] : [];
  });
  const standing = new Set(kept.map(({ row }) => keyOf(row)));
  const newcomers = ranking.filter((row) => !standing.has(keyOf(row)));
  return [...kept, ...newcomers.map((row) => ({ row, gone: false }))];
}

/** What changed: nothing, some rows that stand where they stood, or the rows themselves. */
type Difference = { readonly kind: 'none' } | { readonly kind: 'all' } | Touched;

interface Touched {
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
