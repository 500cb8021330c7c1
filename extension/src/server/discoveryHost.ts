/** What discovery needs of the machine and of VS Code. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { workspaceFolders } from '../folders';
import type { DiscoveryHost } from './discover';
import type { Installer } from './install';
import { safeEnvironment } from './safeEnvironment';

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 30_000; // a busy machine takes long to start Python

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(scope?: vscode.Uri): { path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

export const discoveryHost = (
  installer: Installer,
  log: vscode.LogOutputChannel,
): DiscoveryHost => ({
  home: homedir(),
  path: process.env.PATH ?? '',
  trusted: vscode.workspace.isTrusted,
  folders: workspaceFolders(),
  setting: vscode.workspace.getConfiguration('vouchSidecar').get<string>('path', ''),
  installed: () => installer.servers().catch(() => []),
  interpreter: () => selectedInterpreter(log),
  executable,
  version,
  log: (line) => log.info(line),
});

async function executable(file: string): Promise<string | undefined> {
  try {
    await access(file, constants.X_OK);
    return await realpath(file);
  } catch {
    return undefined;
  }
}

async function version(command: string): Promise<string> {
  const { stdout } = await run(command, ['--version'], {
    timeout: VERSION_TIMEOUT_MS,
    windowsHide: true,
    cwd: path.dirname(command),
    env: safeEnvironment(),
  });
  return stdout;
}

/** The interpreter of the selected environment, as ms-python.python knows it. */
async function selectedInterpreter(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const scope = vscode.workspace.workspaceFolders?.[0]?.uri;
  try {
    const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
    const environments = (await extension?.activate())?.environments;
    const selected = environments?.getActiveEnvironmentPath(scope);
    const environment = await environments?.resolveEnvironment(selected);
    return environment?.executable?.uri?.fsPath;
  } catch (error) {
    log.info(`The Python extension did not answer: ${String(error)}`);
    return undefined;
  }
}
