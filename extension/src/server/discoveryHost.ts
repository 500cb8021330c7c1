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
import { installedServers } from './install';
import { safeEnvironment } from './safeEnvironment';

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 30_000; // a busy machine takes long to start Python

interface EnvironmentsApi {
  getEnvironment(
    scope: vscode.Uri | undefined,
  ): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(scope?: vscode.Uri): { path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

export function discoveryHost(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): DiscoveryHost {
  return {
    platform: process.platform,
    home: homedir(),
    path: process.env.PATH ?? '',
    trusted: vscode.workspace.isTrusted,
    folders: workspaceFolders(),
    setting: vscode.workspace.getConfiguration('vouchSidecar').get<string>('path', ''),
    installed: () => installedServers(context).catch(() => []),
    interpreter: () => selectedInterpreter(log),
    executable,
    version,
    log: (line) => log.info(line),
  };
}

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

/** The interpreter of the selected environment: ms-python.vscode-python-envs is asked, then ms-python.python. */
async function selectedInterpreter(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const scope = vscode.workspace.workspaceFolders?.[0]?.uri;
  for (const ask of [fromEnvironments, fromPython]) {
    try {
      const interpreter = await ask(scope);
      if (interpreter) return interpreter;
    } catch (error) {
      log.info(`A Python extension did not answer: ${String(error)}`);
    }
  }
  return undefined;
}

async function fromEnvironments(scope: vscode.Uri | undefined): Promise<string | undefined> {
  const api = await exportsOf<EnvironmentsApi>('ms-python.vscode-python-envs');
  return (await api?.getEnvironment(scope))?.execInfo?.run?.executable;
}

async function fromPython(scope: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await exportsOf<PythonApi>('ms-python.python'))?.environments;
  if (!environments) return undefined;
  const resolved = await environments.resolveEnvironment(
    environments.getActiveEnvironmentPath(scope),
  );
  return resolved?.executable?.uri?.fsPath;
}

async function exportsOf<T>(id: string): Promise<T | undefined> {
  const extension = vscode.extensions.getExtension<T>(id);
  return extension ? await extension.activate() : undefined;
}
