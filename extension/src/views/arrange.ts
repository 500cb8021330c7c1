/** In which order rows stand while somebody reads them. */
import type { SalientEntity } from '../protocol.gen';
import { keyOf } from './nodes';

export interface Shown {
  readonly row: SalientEntity;
  /** No longer ranked, kept because somebody has it open. */
  readonly gone: boolean;
}

/**
 * The ranking as it is, unless rows are open: then what stands keeps its place, what is open and
 * no longer ranked stays, and newcomers go to the end. An empty ranking always empties.
 */
export function arrange(
  before: readonly Shown[],
  ranking: readonly SalientEntity[],
  open: (key: string) => boolean,
): Shown[] {
  const ranked = new Map(ranking.map((row) => [keyOf(row), row]));
  if (ranking.length === 0 || !before.some((shown) => open(keyOf(shown.row)))) {
    return ranking.map((row) => ({ row, gone: false }));
  }
  const kept = before.flatMap(({ row }) => {
    const now = ranked.get(keyOf(row));
    if (now) return [{ row: now, gone: false }];
    return open(keyOf(row)) ? [{ row, gone: true }] : [];
  });
  const standing = new Set(kept.map(({ row }) => keyOf(row)));
  const newcomers = ranking.filter((row) => !standing.has(keyOf(row)));
  return [...kept, ...newcomers.map((row) => ({ row, gone: false }))];
}
