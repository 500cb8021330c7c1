/** What discovery needs of the machine and of VS Code. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { safeEnvironment } from '../text/paths';
import { untrustedFolders } from '../workspace';
import type { DiscoveryHost } from './discover';
import type { Installer } from './install';

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

/** The setting that names the server. */
export const pathSetting = (): string =>
  vscode.workspace.getConfiguration('vouchSidecar').get<string>('path', '').trim();

export const discoveryHost = (
  installer: Installer,
  log: vscode.LogOutputChannel,
): DiscoveryHost => ({
  home: homedir(),
  path: process.env.PATH ?? '',
  untrusted: untrustedFolders(),
  setting: pathSetting(),
  installed: () => installer.servers().catch(() => []),
  interpreter: async () => (vscode.workspace.isTrusted ? selectedInterpreter(log) : undefined),
  executable: async (file) => {
    const isExecutable = access(file, constants.X_OK);
    return isExecutable.then(() => realpath(file)).catch(() => undefined);
  },
  version: async (command) => {
    const options = { timeout: VERSION_TIMEOUT_MS, windowsHide: true, cwd: path.dirname(command) };
    const env = safeEnvironment(untrustedFolders());
    return (await run(command, ['--version'], { ...options, env })).stdout;
  },
  log: (line) => log.info(line),
});

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
