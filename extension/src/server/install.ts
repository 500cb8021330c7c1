/** Puts the server that the extension carries into an environment of the extension's own. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { messageOf } from '../text/words';
import { coalesce } from './coalesce';
import { SCRIPT } from './discover';
import { safeEnvironment } from './safeEnvironment';

const run = promisify(execFile);
const ON_WINDOWS = process.platform === 'win32';
const PYTHONS = ON_WINDOWS
  ? ['py', 'python']
  : ['python3.13', 'python3.12', 'python3.11', 'python3', 'python'];
const NEW_ENOUGH = 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)';
const PREFIX = 'server';

const binOf = (environment: string): string =>
  path.join(environment, ON_WINDOWS ? 'Scripts' : 'bin');
const serverIn = (environment: string): string => path.join(binOf(environment), SCRIPT);
const pythonIn = (environment: string): string =>
  path.join(binOf(environment), ON_WINDOWS ? 'python.exe' : 'python');

export class Installer {
  /** Installs the carried server where only an older one is, with its Python; whether it did. */
  readonly replaceOlder = coalesce(() => this.replace());
  /** Environments stand here, one for each server that was carried. */
  private readonly store: string;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.store = context.globalStorageUri.fsPath;
  }

  /** Where servers may be that this extension has installed: the carried one, then others. */
  async servers(): Promise<string[]> {
    const { environment } = await this.carried();
    return [environment, ...(await this.othersThan(environment))].map(serverIn);
  }

  private async replace(): Promise<boolean> {
    const { environment } = await this.carried();
    const [older] = await this.othersThan(environment);
    if (!older || existsSync(serverIn(environment))) return false;
    const title = 'Vouch: updating the server';
    await this.install({ location: vscode.ProgressLocation.Window, title }, pythonIn(older));
    return true;
  }

  /** Installs the server and starts it; where that fails, offers to try again. */
  async installAndStart(start: () => Promise<void>): Promise<void> {
    const title = 'Vouch: installing the server';
    const location = vscode.ProgressLocation.Notification;
    try {
      await this.install({ location, title, cancellable: true });
    } catch (error) {
      if (error instanceof vscode.CancellationError) return;
      this.log.error(`The server could not be installed: ${messageOf(error)}`);
      const message = `Vouch: the server could not be installed. ${messageOf(error)}`;
      const chosen = await vscode.window.showErrorMessage(message, 'Retry', 'Show Logs');
      if (chosen === 'Retry') await this.installAndStart(start);
      if (chosen === 'Show Logs') this.log.show();
      return;
    }
    await start();
    vscode.window.setStatusBarMessage('$(check) Vouch: the server is installed and ready', 8_000);
  }

  /** Installs with progress; rejects when it is cancelled or fails. */
  private async install(options: vscode.ProgressOptions, python?: string): Promise<void> {
    await vscode.window.withProgress(options, async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const say = (message: string) => progress.report({ message });
      await this.installWith(python ?? (await findPython(stop.signal)), say, stop.signal);
    });
  }

  private async installWith(
    python: string | undefined,
    say: (message: string) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (!python) throw new Error('Python 3.11 or newer was not found on the PATH.');
    const { environment, wheel } = await this.carried();
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
    const remove = (folder: string) => rm(folder, { recursive: true, force: true });
    await vscode.workspace.fs.createDirectory(this.context.globalStorageUri);
    try {
      say('making an environment');
      await remove(environment);
      await this.follow(python, ['-m', 'venv', environment], signal);
      await this.follow(pythonIn(environment), [...pip, `${wheel}[mcp]`], signal, (line) =>
        say(shortened(line)),
      );
      for (const older of await this.othersThan(environment)) {
        await remove(older).catch(() => this.log.info(`${older} is in use.`));
      }
    } catch (error) {
      await remove(environment);
      throw signal.aborted ? new vscode.CancellationError() : error;
    }
  }

  /** The server that is carried, and the environment that is its own. */
  private async carried(): Promise<{ wheel: string; environment: string }> {
    const folder = this.context.asAbsolutePath('server');
    const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
    if (!name) throw new Error('This build of the extension carries no server.');
    const wheel = path.join(folder, name);
    const digest = createHash('sha256')
      .update(await readFile(wheel))
      .digest('hex')
      .slice(0, 12);
    return { wheel, environment: path.join(this.store, `${PREFIX}-${digest}`) };
  }

  private async othersThan(own: string): Promise<string[]> {
    const names = await readdir(this.store).catch(() => [] as string[]);
    return names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => path.join(this.store, name))
      .filter((environment) => environment !== own);
  }

  /** Runs a command to its end; its lines go to the log. */
  private follow(
    command: string,
    args: string[],
    signal: AbortSignal,
    onLine: (line: string) => void = () => {},
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, { signal, windowsHide: true, env: safeEnvironment() });
      createInterface(child.stdout).on('line', (line) => {
        this.log.info(line);
        onLine(line);
      });
      let last = `${path.basename(command)} said nothing.`;
      createInterface(child.stderr).on('line', (line) => {
        this.log.warn(line);
        if (line.trim()) last = line.trim();
      });
      child.on('error', reject);
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(last))));
    });
  }
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
