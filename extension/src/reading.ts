/** What somebody reads and types: told at once where the caret moves, and once that stands still. */
import * as vscode from 'vscode';
import { paragraphAt } from './text/words';
import { isOpening } from './tree/rowCommands';
import type { Caret } from './views/inFile';
import { isServed } from './workspace';

/** How long typing stands still before the panel looks again. */
const STILL_MS = 250;

export class Reading implements vscode.Disposable {
  private looking: NodeJS.Timeout | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    private readonly onLook: (uri: string | undefined) => void,
    private readonly onCaret: (caret: Caret, isElsewhere: boolean) => void,
    onTyped: () => void,
  ) {
    const { window, workspace } = vscode;
    const disk = workspace.createFileSystemWatcher('**/*');
    const onWritten = (uri: vscode.Uri) => {
      if (String(uri) === String(window.activeTextEditor?.document.uri)) this.soon();
    };
    this.subscriptions = [
      // At once; where there is none another may be about to open.
      window.onDidChangeActiveTextEditor((editor) => (editor ? this.look(true) : this.soon())),
      // Without a kind the text moved it, as an edit by an agent does.
      window.onDidChangeTextEditorSelection(({ kind }) => this.followCaret(kind !== undefined)),
      workspace.onDidSaveTextDocument(() => this.soon()), // quotes are compared with what is saved
      disk, // whoever writes: an editor that sees two writes at once tells of none
      disk.onDidChange(onWritten),
      disk.onDidCreate(onWritten),
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

  /** The log, a console, and the file of a claim, which a row opens, leave the list as it is. */
  private look(hasMoved = false): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document && !isServed(document)) return;
    if (document?.uri.path.includes('/.vouch/claims/')) return;
    this.onLook(document?.uri.toString());
    this.followCaret(hasMoved);
  }

  private followCaret(hasMoved: boolean): void {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isServed(editor.document)) return;
    const { line } = editor.selection.active;
    const [first, last] = paragraphAt(editor.document, line);
    const uri = editor.document.uri.toString();
    this.onCaret({ uri, line: line + 1, around: [first + 1, last + 1] }, hasMoved && !isOpening());
  }
}
