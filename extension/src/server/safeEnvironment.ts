/** The environment of processes that the extension starts. */
import path from 'node:path';
import * as vscode from 'vscode';
import { workspaceFolders } from '../folders';
import { isBelow } from '../text/paths';
import { safePython } from './safePython';

/**
 * For processes that the extension starts: Python takes no modules from the folder that it happens
 * to be started in, and no program is found by a relative path or in a workspace without trust.
 */
export function safeEnvironment(): NodeJS.ProcessEnv {
  const folders = vscode.workspace.isTrusted ? [] : workspaceFolders();
  const safe = (folder: string) => path.isAbsolute(folder) && !isBelow(folder, folders);
  const search = (process.env.PATH ?? '').split(path.delimiter).filter(safe);
  return { ...process.env, PATH: search.join(path.delimiter), ...safePython() };
}
