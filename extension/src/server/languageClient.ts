/** The language client: the only module that loads vscode-languageclient, and only when needed. */
import * as vscode from 'vscode';
import {
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  LanguageClient,
  type Middleware,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { isServed, SERVED_SELECTOR } from '../inFile/readingPosition';
import type { Settings } from '../settings';
import { isInside, withLinksTo } from '../text/links';

/** VS Code ranks this below any selector that names a language or a scheme. */
const LAST = [{ language: '*' }];
const RANKED_LAST = new Set(['textDocument/hover', 'textDocument/definition']);

/** What a client is made of; functions are asked whenever the answer counts. */
interface ClientOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: vscode.LogOutputChannel;
  readonly sessionId: string;
  settings(): Settings;
  /** Folders that hovers may link into. */
  folders(): readonly string[];
  onStarting(): void;
  onRunning(): void;
  /** The server has ended; whether it is to be started again. */
  onEnded(): boolean;
}

/** Logs what goes wrong; what the user has to know is said once, in words of our own. */
class QuietClient extends LanguageClient {
  /** What a language says of its own code comes first. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ('registrationType' in feature && RANKED_LAST.has(feature.registrationType.method)) {
      const initialize = feature.initialize.bind(feature);
      feature.initialize = (capabilities) => initialize(capabilities, LAST);
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

  get running(): boolean {
    return this.state === State.Running;
  }
}

export type Client = QuietClient;

export function createClient(options: ClientOptions): Client {
  const { command, cwd, env } = options;
  const client = new QuietClient(
    'vouch',
    'Vouch',
    { command, args: ['lsp'], options: { cwd, env } },
    {
      documentSelector: SERVED_SELECTOR,
      outputChannel: options.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => ({
        session_id: options.sessionId,
        settings: options.settings(),
        push: ['salience'],
      }),
      markdown: { isTrusted: false, supportHtml: false },
      middleware: middleware(options.folders),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => closed(options),
      },
    },
  );
  // A trace as JSON is the message itself; the method is private.
  Object.assign(client, { traceObject: () => undefined });
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Starting) options.onStarting();
    if (newState === State.Running) options.onRunning();
  });
  return client;
}

function closed(options: ClientOptions): { action: CloseAction; handled: true; message: string } {
  return options.onEnded()
    ? {
        action: CloseAction.Restart,
        handled: true,
        message: 'The server has ended; it is started again.',
      }
    : {
        action: CloseAction.DoNotRestart,
        handled: true,
        message: 'The server keeps ending; it is not started again.',
      };
}

/** Keeps hovers and definitions to the documents that are served, hovers to text and links into `folders`. */
function middleware(folders: () => readonly string[]): Middleware {
  return {
    provideDefinition(document, position, token, next) {
      return isServed(document) ? next(document, position, token) : undefined;
    },
    async provideHover(document, position, token, next) {
      if (!isServed(document)) return undefined;
      const hover = await next(document, position, token);
      if (!hover) return hover;
      const inside = (target: string) => isInside(target, folders());
      return new vscode.Hover(
        hover.contents.map((part) => safeHover(part, inside)),
        hover.range,
      );
    },
  };
}

function safeHover(
  part: vscode.MarkdownString | vscode.MarkedString,
  inside: (target: string) => boolean,
): vscode.MarkdownString {
  if (typeof part === 'object' && 'language' in part) {
    return new vscode.MarkdownString().appendCodeblock(part.value, part.language);
  }
  const source = typeof part === 'string' ? part : part.value;
  const markdown = new vscode.MarkdownString(withLinksTo(source, inside), false);
  markdown.isTrusted = false;
  markdown.supportHtml = false;
  return markdown;
}
