/**
 * Holds back redraws for a moment after a row was clicked or unfolded: VS Code sends no click where
 * a redraw falls between mouse down and mouse up, and one click often follows another.
 */
import type { Node } from './nodes';
import type { Redraw } from './rows';

const HELD_MS = 500;

export class ClickGuard {
  /** Rows that wait to be drawn. */
  private waits: readonly Node[] | 'all' = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly draw: Redraw) {}

  /** Somebody uses the rows. What waits already waits no longer than before. */
  touched(): void {
    this.timer ??= setTimeout(() => this.release(), HELD_MS);
  }

  redraw(changed?: readonly Node[]): void {
    if (this.timer === undefined) this.draw(changed);
    else if (!changed || this.waits === 'all') this.waits = 'all';
    else this.waits = [...this.waits, ...changed];
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private release(): void {
    const { waits } = this;
    this.timer = undefined;
    this.waits = [];
    if (waits === 'all') this.draw();
    else if (waits.length > 0) this.draw(waits);
  }
}
