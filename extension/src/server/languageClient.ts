/** The language client: the only module that loads vscode-languageclient, and only when needed. */
import type * as vscode from 'vscode';
import {
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  type Executable,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';
import type { Settings } from '../settings';
import { SERVED_SELECTOR } from '../workspace';

/**
 * VS Code ranks this below any selector that names a language or a scheme. The server says nothing
 * of a document that it was not told of.
 */
const LAST = [{ language: '*' }];
const RANKED_LAST = new Set(['textDocument/hover', 'textDocument/definition']);
/** Ids are completed in files of a knowledge base alone: elsewhere every blank would be asked about. */
const KNOWLEDGE = [{ pattern: '**/.vouch/**' }];
/** Within three minutes. */
const MOST_RESTARTS = 4;

/** What a client is made of; functions are asked whenever the answer counts. */
interface ClientOptions {
  readonly program: Executable;
  readonly log: vscode.LogOutputChannel;
  readonly sessionId: string;
  /** What documents said before somebody typed into them that a server could not be told of. */
  readonly texts: WeakMap<vscode.TextDocument, string>;
  settings(): Settings;
  onStarting(): void;
  onRunning(): unknown;
  /** The server has ended so often that it is not started again. */
  onGivenUp(): unknown;
}

/** Logs what goes wrong; what the user has to know is said once, in words of our own. */
export class Client extends LanguageClient {
  /** What a language says of its own code comes first. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const method = 'registrationType' in feature ? feature.registrationType.method : '';
    const selector = method === 'textDocument/completion' ? KNOWLEDGE : LAST;
    if (selector === KNOWLEDGE || RANKED_LAST.has(method)) {
      const initialize = feature.initialize.bind(feature);
      feature.initialize = (capabilities) => initialize(capabilities, selector);
    }
    super.registerFeature(feature);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  /** Names and times; what messages hold stays out of every log, whatever is set. */
  override trace(message: string): void {
    super.trace(message);
  }
}

export function createClient(options: ClientOptions): Client {
  const client: Client = new Client('vouch', 'Vouch', options.program, {
    documentSelector: SERVED_SELECTOR,
    outputChannel: options.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: () => ({
      session_id: options.sessionId,
      settings: options.settings(),
      push: ['salience', 'fresh'],
    }),
    middleware: {
      // What a document says when it is opened was not typed; what came to it meanwhile was.
      didOpen: async (document, next) => {
        const before = options.texts.get(document);
        options.texts.delete(document);
        if (before === undefined || before === document.getText()) return next(document);
        const change = client.code2ProtocolConverter.asChangeTextDocumentParams(document);
        const told = Object.create(document, { getText: { value: () => before } });
        await Promise.all([next(told), client.sendNotification('textDocument/didChange', change)]);
      },
    },
    markdown: { isTrusted: false, supportHtml: false },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: async () => {
        const result = await handler.closed();
        if (result.action === CloseAction.DoNotRestart) options.onGivenUp();
        return { ...result, handled: true };
      },
    },
  });
  const handler = client.createDefaultErrorHandler(MOST_RESTARTS);
  // A trace as JSON is the message itself; the method is private.
  Object.assign(client, { traceObject: () => undefined });
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Starting) options.onStarting();
    if (newState === State.Running) options.onRunning();
  });
  return client;
}
