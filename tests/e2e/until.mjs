// Waiting for something to become true.
/** Waits until `check` gives something true; what it gave. */
export async function until(check, what, within = 10_000) {
  const end = performance.now() + within;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() > end) throw new Error(`${what}: not within ${within} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
