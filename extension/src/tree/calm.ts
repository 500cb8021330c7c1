/**
 * Holds back redraws for a moment after a row was clicked or unfolded: VS Code sends no click where
 * a redraw falls between mouse down and mouse up, and one click often follows another.
 */
import type { Redraw } from './ask';

const CALM_MS = 500;

export class Calm {
  private held: Set<string> | 'all' = new Set();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly draw: Redraw,
    private readonly forMs: number = CALM_MS,
  ) {}

  /** Somebody uses the rows. What waits already waits no longer than before. */
  touched(): void {
    this.timer ??= setTimeout(() => this.release(), this.forMs);
  }

  redraw(rows: 'all' | readonly string[]): void {
    if (this.timer === undefined) this.draw(rows);
    else if (rows === 'all' || this.held === 'all') this.held = 'all';
    else for (const id of rows) this.held.add(id);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private release(): void {
    const rows = this.held === 'all' ? 'all' : [...this.held];
    this.timer = undefined;
    this.held = new Set();
    if (rows.length > 0) this.draw(rows);
  }
}
