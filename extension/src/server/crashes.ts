/** When to stop starting a server that keeps dying. */

const LIMIT = 4;
const WITHIN_MS = 3 * 60_000;

/** Counts the deaths of a server; `now` is in milliseconds and only goes forward. */
export class CrashCounter {
  private deaths: number[] = [];

  /** Whether the server that has just died should be started again. */
  mayRestart(now: number): boolean {
    this.deaths = [...this.deaths.filter((at) => now - at < WITHIN_MS), now];
    return this.deaths.length <= LIMIT;
  }

  forget(): void {
    this.deaths = [];
  }
}
