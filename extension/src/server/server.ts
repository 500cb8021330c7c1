/** The life of the language server: found, started, watched, restarted, stopped. */
import * as vscode from 'vscode';
import type { Panel } from '../panel';
import { PROTOCOL } from '../protocol.gen';
import { explicitSettings, type Settings } from '../settings';
import { safeEnvironment } from '../text/paths';
import { messageOf } from '../text/words';
import type { Ask } from '../tree/nodes';
import { warn } from '../warn';
import { isServed, untrustedFolders, workspaceFolders } from '../workspace';
import { discover, type ServerProgram } from './discover';
import { discoveryHost, pathSetting } from './discoveryHost';
import type { Installer } from './install';
import { withKnowledge } from './knowledgeNearby';
import type { Client } from './languageClient';

export class Server implements vscode.Disposable {
  program: ServerProgram | undefined;
  private client: Client | undefined;
  /** What documents said when a server that is not told of them yet began to start. */
  private readonly texts = new WeakMap<vscode.TextDocument, string>();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly installer: Installer,
    private readonly sessionId: string,
    private readonly panel: Panel,
  ) {}

  readonly ask: Ask = async (method, params) => {
    if (!this.client) throw new Error('The Vouch server is not running.');
    return this.client.sendRequest(method, params);
  };

  /** Whether there is a server that was told. */
  async notify(method: string, params: object): Promise<boolean> {
    if (!this.client?.isRunning()) return false;
    await this.client.sendNotification(method, params);
    return true;
  }

  /** Tells a running server what is set now. */
  async sendSettings(): Promise<void> {
    const settings = { vouchSidecar: settingsNow() };
    await this.notify('workspace/didChangeConfiguration', { settings });
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch((error) => {
      this.log.warn(`The server did not stop in time: ${String(error)}`);
    });
  }

  dispose(): void {
    void this.stop();
  }

  /** Starts the server where a knowledge base may be in, above or below an opened folder. */
  async startWhereKnown(): Promise<void> {
    if ((await withKnowledge(workspaceFolders())).length === 0) {
      this.log.info('There is no knowledge base in, above or below an opened folder.');
      await this.stop();
      return this.panel.setState({ kind: 'none' });
    }
    await this.restart();
    try {
      const { program, installer } = this;
      if (!program || !(await installer.replaceOlder(program.command))) return;
      await this.restart();
      await installer.removeOlder();
    } catch (error) {
      this.log.info(`The server of an older version stays: ${messageOf(error)}`);
    }
  }

  private async restart(): Promise<void> {
    this.onStarting();
    await this.stop();
    this.program = await discover(discoveryHost(this.installer, this.log));
    if (this.program) return this.start(this.program);
    const kind = pathSetting() ? 'wrongPath' : 'noServer';
    this.panel.setState({ kind: vscode.workspace.isTrusted ? kind : 'restricted' });
  }

  private onStarting(): void {
    this.panel.setState({ kind: 'loading' });
    for (const document of vscode.workspace.textDocuments.filter(isServed)) {
      if (!this.texts.has(document)) this.texts.set(document, document.getText());
    }
  }

  private async start(program: ServerProgram): Promise<void> {
    try {
      this.client = await this.createClient(program);
      await this.client.start();
    } catch (error) {
      this.log.error(`The server did not start: ${String(error)}`);
      this.panel.setState({ kind: 'stopped' });
    }
  }

  private async createClient({ command }: ServerProgram): Promise<Client> {
    const { createClient } = await import('./languageClient');
    const options = { cwd: this.context.extensionPath, env: safeEnvironment(untrustedFolders()) };
    const client = createClient({
      program: { command, args: ['lsp'], options },
      log: this.log,
      sessionId: this.sessionId,
      settings: settingsNow,
      texts: this.texts,
      onStarting: () => this.onStarting(),
      onRunning: () => this.began(client),
      onGivenUp: () => {
        this.panel.setState({ kind: 'stopped' });
        void warn('the server keeps ending.', this.log);
      },
    });
    client.onNotification('vouch/didChangeStatus', (params) => this.panel.onStatus(params));
    client.onNotification('vouch/didChangeSalience', (params) => this.panel.inPlay.push(params));
    return client;
  }

  private async began(client: Client): Promise<void> {
    if (client !== this.client) return;
    const spoken = client.initializeResult?.capabilities.experimental?.vouch?.protocol;
    if (spoken === PROTOCOL) return this.panel.refresh();
    this.log.error(`The server speaks protocol ${spoken}, this extension ${PROTOCOL}.`);
    await this.stop();
    this.panel.setState({ kind: 'stopped' });
  }
}

function settingsNow(): Settings {
  const configuration = vscode.workspace.getConfiguration('vouchSidecar');
  return explicitSettings((key) => configuration.inspect(key));
}
