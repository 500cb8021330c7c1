/** The life of the language server: found, started, watched, restarted, stopped. */
import * as vscode from 'vscode';
import {
  type DidChangeSalience,
  type DidChangeStatus,
  PROTOCOL,
  type Requests,
} from '../protocol.gen';
import { explicitSettings, type Settings } from '../settings';
import type { State } from '../status/state';
import { coalesce } from './coalesce';
import { discover, type ServerProgram } from './discover';
import { discoveryHost } from './discoveryHost';
import type { Installer } from './install';
import type { Client } from './languageClient';
import { safeEnvironment } from './safeEnvironment';

export interface Listeners {
  onState(state: State): void;
  onStatus(params: DidChangeStatus): void;
  /** What is in play in a session has changed. */
  onPush(params: DidChangeSalience): void;
  /** The server answers. */
  onRunning(): void;
  /** It ended so often that it is not started again. */
  onGivenUp(): void;
}

/** The notifications that are sent to the server, with their params. */
type Sent = {
  'textDocument/didSave': { textDocument: { uri: string } };
  'workspace/didChangeConfiguration': { settings: object };
};

/** How the start of a program ended. One that failed is not replaced by another program. */
type StartOutcome = 'running' | 'failed' | 'other protocol';

export class Server implements vscode.Disposable {
  program: ServerProgram | undefined;
  readonly restart = coalesce(() => this.stopAndStart());
  private client: Client | undefined;
  private starting = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly installer: Installer,
    private readonly sessionId: string,
    private readonly listeners: Listeners,
  ) {}

  get running(): boolean {
    return this.client?.running ?? false;
  }

  async ask<M extends keyof Requests>(
    method: M,
    params: Requests[M]['params'],
  ): Promise<Requests[M]['result']> {
    if (!this.client) throw new Error('The Vouch server is not running.');
    return this.client.sendRequest<Requests[M]['result']>(method, params);
  }

  async notify<M extends keyof Sent>(method: M, params: Sent[M]): Promise<void> {
    if (this.running) await this.client?.sendNotification(method, params);
  }

  /** Tells a running server what is set now. */
  async sendSettings(): Promise<void> {
    const settings = { vouchSidecar: settingsNow() };
    await this.notify('workspace/didChangeConfiguration', { settings });
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
    void this.stop();
  }

  private async stopAndStart(): Promise<void> {
    await this.stop();
    this.listeners.onState({ kind: 'loading' });
    this.starting = true;
    try {
      const host = discoveryHost(this.installer, this.log);
      this.program = await discover(host, async (program) => {
        return (await this.start(program)) !== 'other protocol';
      });
    } finally {
      this.starting = false;
    }
    if (!this.program) {
      const { isTrusted } = vscode.workspace;
      const path = vscode.workspace.getConfiguration('vouchSidecar').get<string>('path', '').trim();
      this.listeners.onState(isTrusted ? { kind: 'noServer', path } : { kind: 'restricted' });
    }
  }

  private async start(program: ServerProgram): Promise<StartOutcome> {
    this.program = program;
    try {
      this.client = await this.createClient(program);
      await this.client.start();
    } catch (error) {
      this.log.error(`The server did not start: ${String(error)}`);
      this.listeners.onState({ kind: 'stopped' });
      return 'failed';
    }
    const spoken = protocolOf(this.client);
    if (spoken === PROTOCOL) return 'running';
    this.log.error(`${program.command} speaks protocol ${spoken}, this extension ${PROTOCOL}.`);
    await this.stop();
    return 'other protocol';
  }

  private async createClient({ command }: ServerProgram): Promise<Client> {
    const { createClient } = await import('./languageClient');
    const client = createClient({
      command,
      cwd: this.context.extensionPath,
      env: safeEnvironment(),
      log: this.log,
      sessionId: this.sessionId,
      settings: settingsNow,
      onStarting: () => this.listeners.onState({ kind: 'loading' }),
      onRunning: () => this.began(client),
      onGivenUp: () => {
        this.listeners.onState({ kind: 'stopped' });
        this.listeners.onGivenUp();
      },
    });
    client.onNotification('vouch/didChangeStatus', this.listeners.onStatus);
    client.onNotification('vouch/didChangeSalience', this.listeners.onPush);
    return client;
  }

  private began(client: Client): void {
    if (client !== this.client) return;
    if (protocolOf(client) !== PROTOCOL) {
      // It was exchanged for another one while it was down; a first start looks further by itself.
      if (!this.starting) void this.restart();
      return;
    }
    this.listeners.onRunning();
  }
}

const protocolOf = (client: Client): unknown =>
  client.initializeResult?.capabilities.experimental?.vouch?.protocol;

function settingsNow(): Settings {
  const configuration = vscode.workspace.getConfiguration('vouchSidecar');
  return explicitSettings((key) => configuration.inspect(key));
}
