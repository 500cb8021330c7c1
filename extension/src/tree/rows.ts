/** What a tree view shows, and how long a row stays that left. */
import type { Node } from './nodes';

/** Draws rows that stand where they stood, with what is beneath them; without any, the whole view. */
export type Redraw = (changed?: readonly Node[]) => void;

/** The rows of a view; `redraw` is called where they are others than before. */
export class Rows {
  roots: readonly Node[] = [];

  constructor(protected readonly redraw: Redraw) {}

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

/** How long a row that left stays where it stood, from the last key or click on. */
export const LINGER_MS = 2_000;

/**
 * Rows of which those that left stay for a while: a name that is typed slowly comes and goes, and
 * a row that goes takes the one below it from under the pointer. At most `most` are kept.
 */
export class Lingering<R> {
  rows: readonly R[] = [];
  private left = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly keyOf: (row: R) => string,
    private readonly most: number,
    private readonly changed: () => void,
  ) {}

  /** Takes the rows that there are now; `atOnce`: without those that left. */
  take(rows: readonly R[], atOnce = false): void {
    const now = new Set(rows.map(this.keyOf));
    const kept = [...rows];
    this.left.clear();
    for (const [at, row] of atOnce ? [] : this.rows.entries()) {
      if (now.has(this.keyOf(row)) || kept.length >= this.most) continue;
      kept.splice(at, 0, row);
      this.left.add(this.keyOf(row));
    }
    this.rows = kept;
    this.touched();
    this.changed();
  }

  /** Somebody types, or uses the rows: those that left stay longer. */
  touched(): void {
    clearTimeout(this.timer);
    if (this.left.size === 0) return;
    this.timer = setTimeout(() => {
      this.take(
        this.rows.filter((row) => !this.left.has(this.keyOf(row))),
        true,
      );
    }, LINGER_MS);
  }
}
