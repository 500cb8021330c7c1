/** What somebody types, and which part of the document is in sight, told once that stands still. */
import * as vscode from 'vscode';
import { textAtHand } from '../prompts/textAtHand';
import { isServed } from '../server/servedDocuments';
import { paragraphAt } from '../text/paragraph';
import type { VisiblePart } from './inFileView';
import type { Caret } from './tiedRows';

/** How long typing, scrolling and what the server tells stand still before the panel looks again. */
export const STILL_MS = 250;
const FOLLOWED_MS = 15;

const SCOPES = [
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
];

export class ReadingPosition implements vscode.Disposable {
  private looking: NodeJS.Timeout | undefined;
  private following: NodeJS.Timeout | undefined;
  /** Whether something was typed since it last stood still. */
  private typed = false;
  private shown: vscode.Uri | undefined;
  /** The function or method at the caret when it last stood still. */
  private scope: vscode.Range | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(
    private readonly onLook: (part: VisiblePart | undefined) => void,
    private readonly onCaret: (caret: Caret) => void,
    private readonly onTyped: (text: string) => void,
  ) {
    const { window, workspace } = vscode;
    this.subscriptions = [
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor) this.look(); // at once; and once more when what is in sight stands still
        this.soon();
      }),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) =>
        this.moved(textEditor.document),
      ),
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor.document)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        this.typed ||= contentChanges.length > 0 && isActive(document) && isServed(document);
        this.moved(document);
      }),
    ];
  }

  soon(): void {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => {
      if (this.typed) this.onTyped(textAtHand());
      this.typed = false;
      this.look();
    }, STILL_MS);
  }

  dispose(): void {
    clearTimeout(this.looking);
    clearTimeout(this.following);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private moved(document: vscode.TextDocument): void {
    if (!isActive(document)) return;
    this.soon();
    clearTimeout(this.following);
    this.following = setTimeout(() => this.followCaret(), FOLLOWED_MS);
  }

  private look(): void {
    const editor = vscode.window.activeTextEditor;
    if (!editor) this.onLook(undefined);
    else if (!isServed(editor.document))
      return; // the log, a console
    else if (!isClaim(editor.document.uri) || !isOpen(this.shown)) void this.lookAt(editor);
  }

  /** What is in sight is told first: a language extension may take seconds to know its functions. */
  private async lookAt(editor: vscode.TextEditor): Promise<void> {
    if (`${this.shown}` !== `${editor.document.uri}`) this.scope = undefined;
    this.shown = editor.document.uri;
    this.onLook(visiblePartOf(editor));
    this.followCaret();
    const scope = await scopeAt(editor);
    if (editor !== vscode.window.activeTextEditor) return;
    this.scope = scope;
    this.followCaret();
  }

  private followCaret(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor && isServed(editor.document)) this.onCaret(caretOf(editor, this.scope));
  }
}

const isActive = (document: vscode.TextDocument): boolean =>
  document === vscode.window.activeTextEditor?.document;

const isClaim = ({ path }: vscode.Uri): boolean => path.includes('/.vouch/claims/');

const isOpen = (uri: vscode.Uri | undefined): boolean =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && `${input.uri}` === `${uri}`);

/** The caret in its function or method, else in its paragraph. */
function caretOf({ document, selection }: vscode.TextEditor, scope?: vscode.Range): Caret {
  const { line } = selection.active;
  const uri = document.uri.toString();
  if (scope?.contains(selection.active)) {
    return { uri, line: line + 1, around: [scope.start.line + 1, scope.end.line + 1] };
  }
  const isBlank = document.lineAt(line).isEmptyOrWhitespace;
  const [first, last] = isBlank ? [line, line] : paragraphAt(document, line);
  return { uri, line: line + 1, around: [first + 1, last + 1] };
}

/** The innermost function or method at the caret, where a language extension knows it. */
async function scopeAt({
  document,
  selection,
}: vscode.TextEditor): Promise<vscode.Range | undefined> {
  const symbols = await vscode.commands.executeCommand<
    readonly vscode.DocumentSymbol[] | undefined
  >('vscode.executeDocumentSymbolProvider', document.uri);
  let inner: vscode.Range | undefined;
  for (let level = symbols ?? []; level.length > 0; ) {
    const here = level.find(({ range }) => range?.contains(selection.active));
    if (here && SCOPES.includes(here.kind)) inner = here.range;
    level = here?.children ?? [];
  }
  return inner;
}

function visiblePartOf({ document, visibleRanges }: vscode.TextEditor): VisiblePart {
  const last = Math.min(visibleRanges.at(-1)?.end.line ?? 0, document.lineCount - 1);
  const first = Math.min(visibleRanges[0]?.start.line ?? 0, last);
  const { character } = document.lineAt(last).range.end;
  const range = { start: { line: first, character: 0 }, end: { line: last, character } };
  return { uri: document.uri.toString(), range };
}
