/** The environment of processes that the extension starts. */
import path from 'node:path';
import { isBelow } from '../text/paths';

const PATHS = path.delimiter;

/** What keeps Python from taking modules from the folder that it happens to be started in. */
export function safePython(): { PYTHONPATH: string; PYTHONSAFEPATH: string } {
  const parts = (process.env.PYTHONPATH ?? '').split(PATHS);
  return { PYTHONPATH: parts.filter(path.isAbsolute).join(PATHS), PYTHONSAFEPATH: '1' };
}

/** No program is found by a relative path, or in a folder that nobody trusts. */
export function safeEnvironment(untrusted: readonly string[]): NodeJS.ProcessEnv {
  const safe = (folder: string) => path.isAbsolute(folder) && !isBelow(folder, untrusted);
  const search = (process.env.PATH ?? '').split(PATHS).filter(safe);
  return { ...process.env, PATH: search.join(PATHS), ...safePython() };
}
