/** What somebody reads and types: told at once where the caret moves, and once that stands still. */
import * as vscode from 'vscode';
import { isServed } from './server/servedDocuments';
import { paragraphAt } from './text/paragraph';
import type { Caret } from './views/inFile';

/** How long typing and what the server tells stand still before the panel looks again. */
export const STILL_MS = 250;

export class Reading implements vscode.Disposable {
  private looking: NodeJS.Timeout | undefined;
  private shown: vscode.Uri | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    private readonly onLook: (uri: string | undefined) => void,
    private readonly onCaret: (caret: Caret) => void,
    onTyped: () => void,
  ) {
    const { window, workspace } = vscode;
    this.subscriptions = [
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor)
          this.look(); // at once; without one another may be about to open
        else this.soon();
      }),
      window.onDidChangeTextEditorSelection(() => this.followCaret()),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0 || !isServed(document)) return;
        onTyped();
        if (document === window.activeTextEditor?.document) this.soon();
      }),
    ];
  }

  soon(): void {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => this.look(), STILL_MS);
  }

  dispose(): void {
    clearTimeout(this.looking);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** The file of a claim that was opened from the list leaves the list as it is. */
  private look(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document && !isServed(document)) return; // the log, a console
    if (document && isClaim(document.uri) && isOpen(this.shown)) return;
    this.shown = document?.uri;
    this.onLook(document?.uri.toString());
    this.followCaret();
  }

  private followCaret(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor && isServed(editor.document)) this.onCaret(caretOf(editor));
  }
}

const isClaim = ({ path }: vscode.Uri): boolean => path.includes('/.vouch/claims/');

const isOpen = (uri: vscode.Uri | undefined): boolean =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && `${input.uri}` === `${uri}`);

/** The caret in its paragraph. */
function caretOf({ document, selection }: vscode.TextEditor): Caret {
  const { line } = selection.active;
  const isBlank = document.lineAt(line).isEmptyOrWhitespace;
  const [first, last] = isBlank ? [line, line] : paragraphAt(document, line);
  return { uri: document.uri.toString(), line: line + 1, around: [first + 1, last + 1] };
}
