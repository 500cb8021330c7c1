/** Puts the server that the extension carries into an environment of the extension's own. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { messageOf } from '../text/errors';
import { scriptName } from './discover';
import { safeEnvironment } from './safeEnvironment';

const run = promisify(execFile);
const ON_WINDOWS = process.platform === 'win32';
const PYTHONS = ON_WINDOWS
  ? ['py', 'python']
  : ['python3.13', 'python3.12', 'python3.11', 'python3', 'python'];
const NEW_ENOUGH = 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)';

const PREFIX = 'server';

const storeOf = (context: vscode.ExtensionContext): string => context.globalStorageUri.fsPath;

/** The environment of the carried server: another server has another one. */
async function environmentOf(context: vscode.ExtensionContext): Promise<string> {
  const wheel = await readFile(await carriedWheel(context));
  const digest = createHash('sha256').update(wheel).digest('hex').slice(0, 12);
  return path.join(storeOf(context), `${PREFIX}-${digest}`);
}

const binOf = (environment: string): string =>
  path.join(environment, ON_WINDOWS ? 'Scripts' : 'bin');
const serverIn = (environment: string): string =>
  path.join(binOf(environment), scriptName(process.platform));
const pythonIn = (environment: string): string =>
  path.join(binOf(environment), ON_WINDOWS ? 'python.exe' : 'python');

/** Where servers may be that this extension has installed: the carried one, then others. */
export async function installedServers(context: vscode.ExtensionContext): Promise<string[]> {
  const own = await environmentOf(context);
  return [own, ...(await otherEnvironments(own))].map(serverIn);
}

async function otherEnvironments(own: string): Promise<string[]> {
  const folder = path.dirname(own);
  const names = await readdir(folder).catch(() => [] as string[]);
  return names
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => path.join(folder, name))
    .filter((environment) => environment !== own);
}

/** Installs the carried server where only an older one is, with its Python; whether it did. */
export async function replaceOlder(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<boolean> {
  const own = await environmentOf(context);
  const [older] = await otherEnvironments(own);
  if (!older || existsSync(serverIn(own))) return false;
  const options = { location: vscode.ProgressLocation.Window, title: 'Vouch: updating the server' };
  await vscode.window.withProgress(options, (progress) =>
    installInto(
      context,
      log,
      (message) => progress.report({ message }),
      new AbortController().signal,
      pythonIn(older),
    ),
  );
  return true;
}

/** Installs the server and starts it; where that fails, offers other ways. */
export async function installAndStart(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  start: () => Promise<void>,
  python?: string,
): Promise<void> {
  try {
    await install(context, log, python);
  } catch (error) {
    if (error instanceof vscode.CancellationError) return;
    log.error(`The server could not be installed: ${messageOf(error)}`);
    const again = (chosen?: string) => installAndStart(context, log, start, chosen ?? python);
    await offerOtherWays(context, log, messageOf(error), again);
    return;
  }
  await start();
  vscode.window.setStatusBarMessage('$(check) Vouch: the server is installed and ready', 8_000);
}

async function offerOtherWays(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  why: string,
  again: (python?: string) => Promise<void>,
): Promise<void> {
  const ways: Readonly<Record<string, () => unknown>> = {
    Retry: () => again(),
    'Choose Python…': async () => {
      const picked = await vscode.window.showOpenDialog({
        title: 'Python 3.11 or newer',
        openLabel: 'Install with This Python',
      });
      if (picked?.[0]) await again(picked[0].fsPath);
    },
    'Copy Command': async () => vscode.env.clipboard.writeText(await installCommand(context)),
    'Show Logs': () => log.show(),
  };
  const message = `Vouch: the server could not be installed. ${why}`;
  const chosen = await vscode.window.showErrorMessage(message, ...Object.keys(ways));
  if (chosen) await ways[chosen]?.();
}

/** Installs with progress; rejects when it is cancelled or fails. */
async function install(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  python?: string,
): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: 'Vouch: installing the server',
    cancellable: true,
  };
  await vscode.window.withProgress(options, async (progress, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    const say = (message: string) => progress.report({ message });
    await installInto(context, log, say, stop.signal, python);
  });
}

async function installInto(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  say: (message: string) => void,
  signal: AbortSignal,
  chosen: string | undefined,
): Promise<void> {
  const environment = await environmentOf(context);
  const wheel = await carriedWheel(context);
  const python = chosen ?? (await findPython(signal));
  if (!python) throw new Error('Python 3.11 or newer was not found on the PATH.');
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  try {
    say('making an environment');
    await rm(environment, { recursive: true, force: true });
    await follow(python, ['-m', 'venv', environment], log, signal, () => {});
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
    await follow(pythonIn(environment), [...pip, `${wheel}[mcp]`], log, signal, (line) =>
      say(shortened(line)),
    );
    for (const older of await otherEnvironments(environment)) {
      await rm(older, { recursive: true, force: true }).catch(() =>
        log.info(`${older} is in use.`),
      );
    }
  } catch (error) {
    await rm(environment, { recursive: true, force: true });
    throw signal.aborted ? new vscode.CancellationError() : error;
  }
}

/** What installs the server by hand, for a terminal. */
async function installCommand(context: vscode.ExtensionContext): Promise<string> {
  const wheel = `${await carriedWheel(context)}[mcp]`;
  return ON_WINDOWS
    ? `py -3 -m pip install --user "${wheel}"`
    : `python3 -m pip install --user '${wheel}'`;
}

async function carriedWheel(context: vscode.ExtensionContext): Promise<string> {
  const folder = context.asAbsolutePath('server');
  const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  if (!name) throw new Error('This build of the extension carries no server.');
  return path.join(folder, name);
}

async function findPython(signal: AbortSignal): Promise<string | undefined> {
  for (const python of PYTHONS) {
    try {
      await run(python, ['-c', NEW_ENOUGH], { signal, windowsHide: true, env: safeEnvironment() });
      return python;
    } catch {
      signal.throwIfAborted();
    }
  }
  return undefined;
}

const shortened = (line: string): string => {
  const step = /^(Collecting|Downloading|Installing|Processing|Building)\b[^(\n]*/.exec(line);
  return (step?.[0] ?? 'fetching what it needs').trim().slice(0, 60);
};

function follow(
  command: string,
  args: string[],
  log: vscode.LogOutputChannel,
  signal: AbortSignal,
  onLine: (line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { signal, windowsHide: true, env: safeEnvironment() });
    const each = (line: string) => {
      log.info(line);
      onLine(line);
    };
    createInterface(child.stdout).on('line', each);
    let last = `${path.basename(command)} said nothing.`;
    createInterface(child.stderr).on('line', (line) => {
      log.warn(line);
      if (line.trim()) last = line.trim();
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(last))));
  });
}
