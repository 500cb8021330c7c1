/** `action` runs once at a time; calls made while it runs share one further run. */
export function coalesce(action: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let waits = false;
  return () => {
    if (waits) return last;
    waits = true;
    const before = last.catch(() => undefined);
    last = before.then(() => {
      waits = false;
      return action();
    });
    return last;
  };
}
