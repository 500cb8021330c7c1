/** When a server is started: once at a time, and not for ever. */

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

/** `action` runs once at a time; calls made while it runs share one further run. */
export function coalesce(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const run = (): Promise<void> => {
    running = action().finally(() => {
      running = undefined;
    });
    return running;
  };

  return () => {
    if (!running) return run();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
}
