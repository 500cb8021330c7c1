/** The life of the language server: found, started, watched, restarted, stopped. */
import * as vscode from 'vscode';
import {
  State as ClientState,
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from 'vscode-languageclient/node';
import { hoverMiddleware } from '../hover';
import { type Notifications, PROTOCOL, type Requests } from '../protocol.gen';
import { explicitSettings, type Settings } from '../settings';
import type { State } from '../statusText';
import { coalesce } from './coalesce';
import { CrashCounter } from './crashes';
import { discover, type Found } from './discover';
import { machine, safeEnvironment } from './machine';
import { traceChannel } from './trace';

/** Notifications that come from the server. */
type Incoming = 'vouch/didChangeSalience' | 'vouch/didChangeStatus';

export interface Listeners {
  onState(state: State): void;
  onNotification<M extends Incoming>(method: M, params: Notifications[M]): void;
  /** The server answers; `again` when it did before in this window. */
  onRunning(again: boolean): void;
  onCrashLoop(): void;
  /** Folders that hovers may link into, apart from those of the workspace. */
  knowledgeBases(): readonly string[];
}

const SELECTOR = ['file', 'untitled', 'git', 'vouch-prompt', 'vscode-notebook-cell'].map(
  (scheme) => ({ scheme }),
);

/** Logs what goes wrong; what the user has to know is said once, in words of our own. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class Server implements vscode.Disposable {
  found: Found | undefined;
  readonly restart = coalesce(() => this.stopAndStart());
  private client: LanguageClient | undefined;
  private ranBefore = false;
  private readonly crashes = new CrashCounter();
  private readonly trace: ReturnType<typeof traceChannel>;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly sessionId: string,
    private readonly listeners: Listeners,
  ) {
    this.trace = traceChannel(log);
  }

  get running(): boolean {
    return this.client?.state === ClientState.Running;
  }

  async ask<M extends keyof Requests>(
    method: M,
    params: Requests[M]['params'],
  ): Promise<Requests[M]['result']> {
    if (!this.client) throw new Error('The Vouch server is not running.');
    return this.client.sendRequest<Requests[M]['result']>(method, params);
  }

  async notify(method: string, params: unknown): Promise<void> {
    if (this.running) await this.client?.sendNotification(method, params as object);
  }

  /** Tells a running server what is set now. */
  async sendSettings(): Promise<void> {
    await this.notify('workspace/didChangeConfiguration', {
      settings: { vouchSidecar: settingsNow() },
    });
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`The server did not stop in time: ${String(error)}`);
    }
  }

  dispose(): void {
    this.trace.dispose();
    void this.stop();
  }

  private async stopAndStart(): Promise<void> {
    await this.stop();
    this.crashes.forget();
    this.listeners.onState('starting');
    this.found = await discover(machine(this.context, this.log));
    if (!this.found) {
      this.listeners.onState('noServer');
      return;
    }
    this.client = this.createClient(this.found);
    try {
      await this.client.start();
    } catch (error) {
      this.log.error(`The server did not start: ${String(error)}`);
      this.listeners.onState('stopped');
    }
  }

  private createClient({ command }: Found): LanguageClient {
    const options = { cwd: this.context.extensionPath, env: safeEnvironment() };
    const client = new QuietClient(
      'vouch',
      'Vouch',
      { command, args: ['lsp'], options },
      this.clientOptions(),
    );
    for (const method of ['vouch/didChangeSalience', 'vouch/didChangeStatus'] as const) {
      client.onNotification(method, (params) => this.listeners.onNotification(method, params));
    }
    client.onDidChangeState(({ newState }) => {
      if (client === this.client) this.follow(client, newState);
    });
    return client;
  }

  private follow(client: LanguageClient, state: ClientState): void {
    if (state === ClientState.Starting) this.listeners.onState('starting');
    if (state !== ClientState.Running) return;
    const spoken = client.initializeResult?.capabilities.experimental?.vouch?.protocol;
    if (spoken !== PROTOCOL) {
      this.log.error(`The server speaks protocol ${spoken}, this extension ${PROTOCOL}.`);
      void this.stop().then(() => this.listeners.onState('noServer'));
      return;
    }
    this.listeners.onRunning(this.ranBefore);
    this.ranBefore = true;
  }

  private clientOptions(): LanguageClientOptions {
    const folders = () => [
      ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      ...this.listeners.knowledgeBases(),
    ];
    return {
      documentSelector: SELECTOR,
      outputChannel: this.log,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({ session_id: this.sessionId, settings: settingsNow() }),
      markdown: { isTrusted: false, supportHtml: false },
      middleware: hoverMiddleware(folders),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(),
      },
    };
  }

  private closed(): { action: CloseAction; handled: true; message: string } {
    if (this.crashes.mayRestart(performance.now())) {
      const message = 'The server has ended; it is started again.';
      return { action: CloseAction.Restart, handled: true, message };
    }
    this.listeners.onState('stopped');
    this.listeners.onCrashLoop();
    const message = 'The server keeps ending; it is not started again.';
    return { action: CloseAction.DoNotRestart, handled: true, message };
  }
}

function settingsNow(): Settings {
  const configuration = vscode.workspace.getConfiguration('vouchSidecar');
  return explicitSettings((key) => configuration.inspect(key));
}

export const settingNames = (): string[] =>
  Object.entries(settingsNow()).flatMap(([group, values]) =>
    Object.keys(values).map((name) => `${group}.${name}`),
  );
