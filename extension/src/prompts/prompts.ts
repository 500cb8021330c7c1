/** Prompt documents: opened, hinted at, submitted; and the context that goes with a text. */
import * as vscode from 'vscode';
import type { ContextResult } from '../protocol.gen';
import type { Server } from '../server/server';
import { plural } from '../tree/nodes';
import { PROMPT_LANGUAGE, textAtHand } from './textAtHand';

const HINT =
  'Write what you are about to ask. Ctrl+Enter (Cmd+Enter on a Mac) submits it to the session.';
const SHOWN_MS = 4_000;
/** A block as the server writes it, from its first line to its last. */
const BLOCK =
  /^<vouch: reference data from [^\r\n]{1,100}>\r?\n(?:(?!<vouch: )[\s\S]){0,5000}?^<\/vouch>$/m;

export async function newPrompt(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: PROMPT_LANGUAGE });
  await vscode.window.showTextDocument(document);
}

/** Makes the prompt final for the session. It stays, caret and all: typing on begins the next one. */
export async function submitPrompt(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== PROMPT_LANGUAGE || !editor.document.getText().trim()) return;
  if (!server.running) {
    vscode.window.setStatusBarMessage('$(circle-slash) Vouch: no server to submit to', SHOWN_MS);
    return;
  }
  const { document } = editor;
  await server.notify('textDocument/didSave', { textDocument: { uri: document.uri.toString() } });
  vscode.window.setStatusBarMessage('$(check) Vouch: prompt recorded for this session', SHOWN_MS);
}

/** The block for the selection, all of a prompt, or else the paragraph at the caret, on the clipboard. */
export async function copyContext(server: Server): Promise<void> {
  const context = await contextOf(server, vscode.window.activeTextEditor);
  if (!context) return;
  await vscode.env.clipboard.writeText(context.text);
  const items = plural(context.items.length, 'item');
  vscode.window.setStatusBarMessage(`$(copy) Vouch: context copied, ${items}`, SHOWN_MS);
}

/** The same block at the end of the prompt, or in place of one that stands there. */
export async function insertContext(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const context = await contextOf(server, editor);
  if (!editor || !context) return;
  const { document } = editor;
  const end = document.lineAt(document.lineCount - 1).range.end;
  const before = BLOCK.exec(document.getText());
  const caret = editor.selection;
  await editor.edit((edit) => {
    if (!before) edit.insert(end, `\n\n${context.text}`);
    else edit.replace(rangeOf(document, before), context.text);
  });
  editor.selection = caret;
  const items = plural(context.items.length, 'item');
  vscode.window.setStatusBarMessage(`$(insert) Vouch: context inserted, ${items}`, SHOWN_MS);
}

function rangeOf(document: vscode.TextDocument, { index, 0: text }: RegExpExecArray): vscode.Range {
  return new vscode.Range(document.positionAt(index), document.positionAt(index + text.length));
}

async function contextOf(
  server: Server,
  editor: vscode.TextEditor | undefined,
): Promise<ContextResult | undefined> {
  const text = editor ? textAtHand() : '';
  if (!text.trim()) {
    vscode.window.setStatusBarMessage('$(info) Vouch: no text to find context for', SHOWN_MS);
    return undefined;
  }
  const context = await server.ask('vouch/context', { task: text });
  if (!context.text) {
    vscode.window.setStatusBarMessage('$(info) Vouch: nothing is known about this', SHOWN_MS);
    return undefined;
  }
  return context;
}

/** The hint in an empty prompt. It listens only until the first change of the prompt it is in. */
export class PromptHint implements vscode.Disposable {
  private readonly look = vscode.window.createTextEditorDecorationType({
    after: { contentText: HINT, color: new vscode.ThemeColor('editorGhostText.foreground') },
  });
  private change: vscode.Disposable | undefined;
  private readonly switched = vscode.window.onDidChangeActiveTextEditor((editor) =>
    this.follow(editor),
  );

  constructor() {
    this.follow(vscode.window.activeTextEditor);
  }

  dispose(): void {
    this.change?.dispose();
    this.switched.dispose();
    this.look.dispose();
  }

  private follow(editor: vscode.TextEditor | undefined): void {
    this.change?.dispose();
    this.change = undefined;
    const document = editor?.document;
    if (document?.languageId !== PROMPT_LANGUAGE || document.getText() !== '') return;
    editor?.setDecorations(this.look, [new vscode.Range(0, 0, 0, 0)]);
    this.change = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document || event.contentChanges.length === 0) return;
      editor?.setDecorations(this.look, []);
      this.change?.dispose();
      this.change = undefined;
    });
  }
}
