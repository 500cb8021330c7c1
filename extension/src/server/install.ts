/** Puts the server that the extension carries into an environment of the extension's own. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { safeEnvironment } from '../text/paths';
import { messageOf } from '../text/words';
import { warn } from '../warn';
import { untrustedFolders } from '../workspace';
import { SCRIPT } from './discover';

const run = promisify(execFile);
const ON_WINDOWS = process.platform === 'win32';
const PYTHONS = ON_WINDOWS
  ? ['py', 'python']
  : ['python3.13', 'python3.12', 'python3.11', 'python3', 'python'];
const NEW_ENOUGH = 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else 1)';
const PREFIX = 'server';

const inBin = (environment: string, program: string): string =>
  path.join(environment, ON_WINDOWS ? 'Scripts' : 'bin', program);
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

export class Installer {
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
    const all = [environment, ...(await this.othersThan(environment))];
    return all.map((each) => inBin(each, SCRIPT));
  }

  /**
   * What an older version of the extension has installed serves until the carried one is there.
   * Whether that was done.
   */
  async replaceOlder(command: string): Promise<boolean> {
    const [, ...older] = await this.servers();
    if (!older.includes(command)) return false;
    await this.install();
    return true;
  }

  /** Installs the server, as somebody asked for, and has it started. */
  async installAndStart(start: () => Promise<void>): Promise<void> {
    try {
      await this.install();
    } catch (error) {
      if (error instanceof vscode.CancellationError) return;
      return warn(`the server could not be installed. ${messageOf(error)}`, this.log);
    }
    await start();
    await this.removeOlder();
    vscode.window.setStatusBarMessage('$(check) Vouch: the server is installed and ready', 8_000);
  }

  /** Installs the server, with progress; rejects when it is cancelled or fails. */
  async install(): Promise<void> {
    const location = vscode.ProgressLocation.Notification;
    const options = { location, title: 'Vouch: installing the server', cancellable: true };
    await vscode.window.withProgress(options, async (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      await this.installUntil(stop.signal);
    });
  }

  private async installUntil(signal: AbortSignal): Promise<void> {
    const { environment, wheel } = await this.carried();
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
    await vscode.workspace.fs.createDirectory(this.context.globalStorageUri);
    try {
      await remove(environment);
      await this.run(await this.findPython(signal), ['-m', 'venv', environment], signal);
      await this.run(inBin(environment, 'python'), [...pip, `${wheel}[mcp]`], signal);
    } catch (error) {
      await remove(environment);
      throw signal.aborted ? new vscode.CancellationError() : error;
    }
  }

  /** Removes what older versions have installed, once none of it runs. */
  async removeOlder(): Promise<void> {
    const { environment } = await this.carried();
    for (const older of await this.othersThan(environment)) {
      await remove(older).catch(() => this.log.info(`${older} is in use.`));
    }
  }

  /** The server that is carried, and the environment that is its own. */
  private async carried(): Promise<{ wheel: string; environment: string }> {
    const folder = this.context.asAbsolutePath('server');
    const name = (await readdir(folder)).find((file) => file.endsWith('.whl'));
    if (!name) throw new Error('This build of the extension carries no server.');
    const wheel = path.join(folder, name);
    const hash = createHash('sha256').update(await readFile(wheel));
    const digest = hash.digest('hex').slice(0, 12);
    return { wheel, environment: path.join(this.store, `${PREFIX}-${digest}`) };
  }

  private async othersThan(own: string): Promise<string[]> {
    const names = await readdir(this.store).catch(() => [] as string[]);
    return names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => path.join(this.store, name))
      .filter((environment) => environment !== own);
  }

  private async findPython(signal: AbortSignal): Promise<string> {
    for (const python of PYTHONS) {
      try {
        await this.run(python, ['-c', NEW_ENOUGH], signal);
        return python;
      } catch {
        signal.throwIfAborted();
      }
    }
    throw new Error('Python 3.11 or newer was not found on the PATH.');
  }

  /** Runs a command to its end; what it prints goes to the log, its last line into an error. */
  private async run(command: string, args: string[], signal: AbortSignal): Promise<void> {
    const env = safeEnvironment(untrustedFolders());
    const ran = run(command, args, { signal, windowsHide: true, env, maxBuffer: 10_000_000 });
    const { stdout } = await ran.catch(({ stderr = '', message }) => {
      this.log.info(stderr || message);
      throw new Error(stderr.trim().split('\n').at(-1) || message);
    });
    this.log.info(stdout);
  }
}
