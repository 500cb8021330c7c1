/** `action` runs once at a time; calls made while it runs share one further run. */
export function coalesce(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
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
