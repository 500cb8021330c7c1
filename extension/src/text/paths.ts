/** Where files lie, and from where processes may take programs and modules. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether a file lies in one of these folders, or is one of them. */
export const isBelow = (file: string, folders: readonly string[]): boolean =>
  folders.some((folder) => {
    const way = path.relative(folder, file);
    return !path.isAbsolute(way) && way.split(path.sep)[0] !== '..';
  });

/** Whether a URI is that of a file in one of these folders. */
export function isFileBelow(uri: string, folders: readonly string[]): boolean {
  try {
    const { protocol, host, href } = new URL(uri);
    return protocol === 'file:' && host === '' && isBelow(fileURLToPath(href), folders);
  } catch {
    return false;
  }
}

/** Whether a shell reads a relative path as it stands: a line break in it would even run something. */
export const isPlain = (way: string): boolean => /^[\p{L}\p{N}_][\p{L}\p{N}_./-]*$/u.test(way);

/** What keeps Python from taking modules from the folder that it happens to be started in. */
export function safePython(): { PYTHONPATH: string; PYTHONSAFEPATH: string } {
  const parts = (process.env.PYTHONPATH ?? '').split(path.delimiter);
  return { PYTHONPATH: parts.filter(path.isAbsolute).join(path.delimiter), PYTHONSAFEPATH: '1' };
}

/** No program is found by a relative path, or in a folder that nobody trusts. */
export function safeEnvironment(untrusted: readonly string[]): NodeJS.ProcessEnv {
  const safe = (folder: string) => path.isAbsolute(folder) && !isBelow(folder, untrusted);
  const search = (process.env.PATH ?? '').split(path.delimiter).filter(safe);
  return { ...process.env, PATH: search.join(path.delimiter), ...safePython() };
}
