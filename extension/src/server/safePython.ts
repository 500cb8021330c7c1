/** The environment of Python. */
import path from 'node:path';

/** What keeps Python from taking modules from the folder that it happens to be started in. */
export function safePython(): { PYTHONPATH: string; PYTHONSAFEPATH: string } {
  const parts = (process.env.PYTHONPATH ?? '').split(path.delimiter);
  const safe = parts.filter((part) => path.isAbsolute(part));
  return { PYTHONPATH: safe.join(path.delimiter), PYTHONSAFEPATH: '1' };
}
