/** Where files lie. */
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
