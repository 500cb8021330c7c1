/** The view "Claim": the selected claim in full, else the one at the caret. No script runs in it. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isFileBelow } from '../text/paths';
import { messageOf } from '../text/words';
import type { Ask, Ref } from '../tree/nodes';
import { openTarget } from '../tree/rowCommands';
import { warn } from '../warn';
import { type Content, contentOf, escaped, notShown, OPEN } from './content';

export class ClaimPage implements vscode.WebviewViewProvider, vscode.Disposable {
  /** Whether somebody chose what is shown: it stays until the caret goes where it does not lead. */
  isChosen = false;
  private page: vscode.WebviewView | undefined;
  private claim: Ref | undefined;
  private content = HINT;
  private turn = 0;
  private readonly registered = [
    vscode.window.registerWebviewViewProvider('vouchSidecar.claim', this),
    vscode.commands.registerCommand(OPEN, (link: unknown) => this.open(Number(link))),
  ];

  constructor(
    private readonly ask: Ask,
    /** Folders that links may lead into. */
    private readonly folders: () => readonly string[],
  ) {}

  /** Shows a claim that somebody chose; undefined: none. */
  select(claim: Ref | undefined): void {
    this.isChosen = claim !== undefined;
    this.claim = claim;
    void this.refresh();
  }

  /** Shows the first of the claims at the caret, unless one of them is shown. */
  showAtCaret(claims: readonly Ref[]): void {
    const [first] = claims;
    if (this.isChosen || !first || claims.some((claim) => isSame(claim, this.claim))) return;
    this.claim = first;
    void this.refresh();
  }

  resolveWebviewView(page: vscode.WebviewView): void {
    this.page = page;
    page.webview.options = { enableCommandUris: [OPEN], localResourceRoots: [] };
    page.onDidChangeVisibility(() => this.refresh());
    page.onDidDispose(() => {
      if (this.page === page) this.page = undefined; // one that is moved may have another already
    });
    page.webview.html = head() + this.content.html; // until the server has answered
    void this.refresh();
  }

  /** Draws what there is to be read now, where that is something else. */
  async refresh(): Promise<void> {
    if (!this.page?.visible) return;
    const turn = ++this.turn;
    const content = this.claim ? await this.read(this.claim) : HINT;
    if (turn !== this.turn || !this.page) return;
    this.content = content;
    const isShown = this.page.webview.html.endsWith(content.html);
    if (!isShown) this.page.webview.html = head() + content.html;
  }

  dispose(): void {
    for (const part of this.registered) part.dispose();
  }

  private async open(number: number): Promise<void> {
    const link = this.content.links[number];
    this.isChosen = true; // opening a place moves the caret
    if (link?.kind === 'claim') this.select(link.claim);
    if (link?.kind === 'web') await vscode.env.openExternal(vscode.Uri.parse(link.address, true));
    if (link?.kind !== 'place') return;
    const target = link.target.filter((uri) => isFileBelow(uri, this.folders()));
    await openTarget(target).catch(warn);
  }

  private async read({ id, collection }: Ref): Promise<Content> {
    try {
      return contentOf(await this.ask('vouch/claim', { id }, collection));
    } catch (error) {
      return { html: `<p>${escaped(notShown(messageOf(error)))}</p>`, links: [] };
    }
  }
}

const HINT: Content = {
  html: '<p class="hint">Select a claim, or put the caret on a line that one is about.</p>',
  links: [],
};

const isSame = (a: Ref, b: Ref | undefined): boolean =>
  a.id === b?.id && (a.collection ?? b.collection) === (b.collection ?? a.collection);

const STYLE = `
body { color: var(--vscode-foreground); font: var(--vscode-font-size) var(--vscode-font-family);
  line-height: 1.45; margin: 0; overflow-wrap: anywhere; padding: 4px 12px 12px }
p { margin: 0 0 8px }
.hint, dt { color: var(--vscode-descriptionForeground) }
dl { display: grid; gap: 3px 10px; grid-template-columns: max-content 1fr; margin: 0 }
dd { margin: 0 }
span, code, a { unicode-bidi: isolate }
code { background: var(--vscode-textPreformat-background); border-radius: 3px; padding: 0 3px;
  color: var(--vscode-textPreformat-foreground); font-size: .93em;
  font-family: var(--vscode-editor-font-family), monospace }
.warns { color: var(--vscode-list-warningForeground) }
.vscode-high-contrast a { text-decoration: underline }
@media (max-width: 260px) { dl { gap: 0; grid-template-columns: 1fr } dd { margin-bottom: 6px } }
`;

/** The page has nothing but its own style, and fetches nothing. */
function head(): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>`;
}
