/** What a tree view shows, how long a row stays that left, and when rows are drawn. */
import { PUSHED_ROWS } from '../protocol.gen';
import type { Node } from './nodes';

const NO_BADGE = { value: 0, tooltip: '' };

/** The rows of a view. */
export class Rows {
  roots: readonly Node[] = [];
  /** The line above the rows. */
  heading = '';
  /** A figure at the view's icon; 0: none. */
  badge = NO_BADGE;
  private drawn = '';
  /** What draws them sets it; called where there is something else to be seen than before. */
  redraw: () => void = () => {};

  protected show(rows: readonly Node[], heading = '', badge = NO_BADGE): void {
    Object.assign(this, { roots: rows, heading, badge });
    const drawn = JSON.stringify([rows, heading, badge]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.redraw();
  }
}

type View = { message?: string | undefined; badge?: Rows['badge'] | undefined };

/** Draws what stands around rows, which VS Code lets wait a fifth of a second where a heading is set. */
export function drawAround(view: View, { heading, badge }: Rows): void {
  if ((view.message ?? '') !== heading) view.message = heading;
  view.badge = badge.value > 0 ? badge : undefined;
}

/** How long a row that left stays where it stood, from the last key or click on. */
export const LINGER_MS = 2_000;

/**
 * Rows of which those that left stay for a while: a name that is typed slowly comes and goes, and
 * a row that goes takes the one below it from under the pointer.
 */
export class Lingering<R> {
  rows: readonly R[] = [];
  now: readonly R[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly keyOf: (row: R) => string,
    private readonly changed: () => void,
  ) {}

  /** Takes the rows that there are now; `atOnce`: without those that left. */
  take(now: readonly R[], atOnce = false): void {
    const keys = new Set(now.map(this.keyOf));
    const kept = [...now];
    for (const [at, row] of atOnce ? [] : this.rows.entries()) {
      if (!keys.has(this.keyOf(row)) && kept.length < PUSHED_ROWS) kept.splice(at, 0, row);
    }
    this.now = now;
    this.rows = kept;
    this.touched();
    this.changed();
  }

  /** Somebody types, or uses the rows: those that left stay longer. */
  touched(): void {
    clearTimeout(this.timer);
    if (this.rows.length === this.now.length) return;
    this.timer = setTimeout(() => this.take(this.now, true), LINGER_MS);
  }
}

const HELD_MS = 500;

/**
 * Holds back redraws for a moment after a row was clicked or unfolded: VS Code sends no click where
 * a redraw falls between mouse down and mouse up, and one click often follows another.
 */
export class ClickGuard {
  private waits = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly draw: () => void) {}

  /** Somebody uses the rows. What waits already waits no longer than before. */
  touched(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.waits) this.redraw();
    }, HELD_MS);
  }

  redraw(): void {
    this.waits = this.timer !== undefined;
    if (!this.waits) this.draw();
  }
}
