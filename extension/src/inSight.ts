/** Which part of the active editor's document is in sight, told once scrolling and typing stop. */
import * as vscode from 'vscode';
import type { Sight } from './views/inFile';

const STILL_MS = 250;
const SERVED = ['file', 'untitled', 'git', 'vouch-prompt', 'vscode-notebook-cell'];

const SCOPES = [
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Constructor,
  vscode.SymbolKind.Class,
];

/** Whether the server is told of a document. */
export const isServed = ({ uri }: vscode.TextDocument): boolean => SERVED.includes(uri.scheme);
export const SERVED_SELECTOR = SERVED.map((scheme) => ({ scheme }));

export class InSight implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: readonly vscode.Disposable[];

  constructor(private readonly tell: (sight: Sight | undefined) => void) {
    const { window, workspace } = vscode;
    this.subscriptions = [
      window.onDidChangeActiveTextEditor(() => this.soon()),
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) =>
        this.moved(textEditor.document),
      ),
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor.document)),
      workspace.onDidChangeTextDocument(({ document }) => this.moved(document)),
    ];
  }

  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), STILL_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private moved(document: vscode.TextDocument): void {
    if (document === vscode.window.activeTextEditor?.document) this.soon();
  }

  private look(): void {
    const editor = vscode.window.activeTextEditor;
    if (!editor) this.tell(undefined);
    else if (isServed(editor.document)) void this.tellOf(editor); // else: the log, a console
  }

  private async tellOf(editor: vscode.TextEditor): Promise<void> {
    const caret = await scopeAt(editor);
    if (editor === vscode.window.activeTextEditor) this.tell(sightOf(editor, caret));
  }
}

/** The innermost function, method or class at the caret, where a language extension knows it. */
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

function sightOf(
  { document, visibleRanges }: vscode.TextEditor,
  caret: vscode.Range | undefined,
): Sight {
  const lines = visibleRanges.map(({ start, end }) => [start.line, end.line] as const);
  const end = document.lineAt(Math.min(Math.max(0, ...lines.flat()), document.lineCount - 1));
  const first = Math.min(end.lineNumber, ...lines.flat());
  return {
    uri: document.uri.toString(),
    range: { start: { line: first, character: 0 }, end: end.range.end },
    caret,
    shows: (line) => lines.some(([from, to]) => from <= line && line <= to),
  };
}
