/** The view "Claim": the selected claim in full, else the one at the caret. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { isFileBelow } from '../text/paths';
import { messageOf } from '../text/words';
import type { Ask } from '../tree/ask';
import type { ClaimRef } from '../tree/nodes';
import { openTarget } from '../tree/open';
import { contentOf, isWeb, type Link } from './content';
import { type Content, isFromPage, type Show } from './messages';

export class ClaimPage implements vscode.WebviewViewProvider, vscode.Disposable {
  private page: vscode.WebviewView | undefined;
  private claim: ClaimRef | undefined;
  private links: readonly Link[] = [];
  private serial = 0;
  private turn = 0;
  /** What the page shows, to leave it alone where nothing else is to be shown. */
  private shown: string | undefined;
  /** Pointer or focus is in the page: nothing moves. */
  private held = false;
  private readonly registered = vscode.window.registerWebviewViewProvider(
    'vouchSidecar.claim',
    this,
  );

  constructor(
    private readonly ask: Ask,
    /** Folders that links may lead into. */
    private readonly folders: () => readonly string[],
  ) {}

  /** Shows a claim that somebody chose. */
  select(claim: ClaimRef): void {
    this.claim = claim;
    void this.draw();
  }

  /** Shows the first of the claims at the caret, unless one of them is shown. */
  showAtCaret(claims: readonly ClaimRef[]): void {
    if (claims.some((claim) => isSame(claim, this.claim))) return;
    this.claim = claims[0];
    if (!this.held) void this.draw();
  }

  /** The knowledge has changed. */
  refresh(): void {
    if (!this.held) void this.draw();
  }

  clear(): void {
    this.claim = undefined;
    void this.draw();
  }

  resolveWebviewView(page: vscode.WebviewView): void {
    this.page = page;
    this.held = false;
    this.shown = undefined;
    page.webview.options = { enableScripts: true, localResourceRoots: [] };
    page.webview.onDidReceiveMessage((message) => this.receive(message));
    page.onDidChangeVisibility(() => this.refresh());
    page.onDidDispose(() => {
      this.page = undefined;
    });
    page.webview.html = html();
  }

  dispose(): void {
    this.registered.dispose();
  }

  private receive(message: unknown): void {
    if (!isFromPage(message)) return;
    if (message.type === 'open') {
      if (message.serial === this.serial) void this.open(this.links[message.link]);
      return;
    }
    if (message.type === 'ready') this.shown = undefined;
    this.held = message.type === 'held' && message.held;
    this.refresh();
  }

  private async open(link: Link | undefined): Promise<void> {
    if (link?.kind === 'claim') this.select(link.claim);
    if (link?.kind === 'web' && isWeb(link.address)) {
      await vscode.env.openExternal(vscode.Uri.parse(link.address, true));
    }
    if (link?.kind !== 'place') return;
    const uris = link.target.uris.filter((uri) => isFileBelow(uri, this.folders()));
    try {
      await openTarget({ ...link.target, uris });
    } catch (error) {
      void vscode.window.showWarningMessage(`Vouch: ${messageOf(error)}`);
    }
  }

  private async draw(): Promise<void> {
    if (!this.page?.visible) return;
    this.turn += 1;
    const { turn, claim } = this;
    const read = claim ? await this.read(claim) : NOTHING;
    const shown = JSON.stringify(read);
    if (turn !== this.turn || shown === this.shown) return;
    this.shown = shown;
    this.links = read.links;
    this.serial += 1;
    const message: Show = { type: 'show', serial: this.serial, content: read.content };
    await this.page?.webview.postMessage(message);
  }

  private async read({ id, collection }: ClaimRef) {
    try {
      return contentOf(await this.ask('vouch/claim', { id }, collection));
    } catch (error) {
      const content: Content = { text: [{ text: messageOf(error) }], lines: [] };
      return { content, links: [] };
    }
  }
}

const NOTHING = { content: null, links: [] };

const isSame = (a: ClaimRef, b: ClaimRef | undefined): boolean =>
  a.id === b?.id && (a.collection ?? b.collection) === (b.collection ?? a.collection);

/** The page has nothing but its own script and style, and fetches nothing. */
function html(): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string) => readFileSync(path.join(__dirname, name), 'utf8');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<style nonce="${nonce}">${file('claim.css')}</style>
</head>
<body><script nonce="${nonce}">${file('claim.js')}</script></body>
</html>`;
}
