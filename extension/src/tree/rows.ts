/** What a tree view shows, and in which order rows stand while somebody reads them. */
import { type EntityRow, keyOf, type Node } from './nodes';

/** Draws rows that stand where they stood, with what is beneath them; without any, the whole view. */
export type Redraw = (changed?: readonly Node[]) => void;

/** The rows of a view; `redraw` is called where they are others than before. */
export abstract class Rows {
  roots: readonly Node[] = [];

  constructor(protected readonly redraw: Redraw) {}

  /** The rows beneath one. */
  abstract children(node: Node): readonly Node[] | Promise<readonly Node[]>;

  /** A row was unfolded or folded. */
  expanded(_node: Node, _open: boolean): void {}

  /** Draws what is beneath rows with these ids. */
  protected redrawBeneath(ids: ReadonlySet<string>): void {
    this.redraw(this.roots.filter(({ id }) => ids.has(id)));
  }

  protected show(rows: readonly Node[]): void {
    const before = this.roots;
    this.roots = rows;
    const stays =
      rows.length === before.length && rows.every(({ id }, at) => id === before[at]?.id);
    const changed = rows.filter((row, at) => JSON.stringify(row) !== JSON.stringify(before[at]));
    if (!stays) this.redraw();
    else if (changed.length > 0) this.redraw(changed);
  }
}

export interface Shown<R> {
  readonly row: R;
  /** No longer ranked, kept because somebody has it, or one below it, open. */
  readonly gone: boolean;
}

/**
 * The ranking as it is, unless rows are open, or `steady`: then what stands keeps its place, and
 * newcomers go to the end. What is open, and what stands above it, stays though it is ranked no more.
 */
export function steadyOrder<R extends EntityRow>(
  before: readonly Shown<R>[],
  ranking: readonly R[],
  open: (key: string) => boolean,
  steady = false,
): Shown<R>[] {
  const ranked = new Map(ranking.map((row) => [keyOf(row), row]));
  const lastOpen = before.findLastIndex(({ row }) => open(keyOf(row)));
  if (!steady && lastOpen < 0) return ranking.map((row) => ({ row, gone: false }));
  const kept = before.flatMap(({ row }, at) => {
    const now = ranked.get(keyOf(row));
    if (now) return [{ row: now, gone: false }];
    return at <= lastOpen ? [{ row, gone: true }] : [];
  });
  const standing = new Set(kept.map(({ row }) => keyOf(row)));
  const newcomers = ranking.filter((row) => !standing.has(keyOf(row)));
  return [...kept, ...newcomers.map((row) => ({ row, gone: false }))];
}
