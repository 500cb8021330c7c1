/** `action` runs once at a time; calls made while it runs share one further run. */
export function coalesce<T>(action: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const run = (): Promise<T> => {
    next = undefined;
    running = action().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return run();
    next ??= running.catch(() => undefined).then(run);
    return next;
  };
}
