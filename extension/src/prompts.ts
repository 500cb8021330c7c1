/** Prompt documents: opened and submitted; and the context that goes with a text. */
import * as vscode from 'vscode';
import { type ContextResult, PROMPT_DOCUMENT } from './protocol.gen';
import type { Server } from './server/server';
import { blockIn, paragraphAt, plural } from './text/words';

const say = (icon: string, message: string, ms = 4_000) =>
  vscode.window.setStatusBarMessage(`$(${icon}) Vouch: ${message}`, ms);

export async function newPrompt(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: PROMPT_DOCUMENT });
  await vscode.window.showTextDocument(document);
  say('comment', 'write your prompt; Ctrl+Enter (on a Mac Cmd+Enter) submits it', 10_000);
}

/** Makes the prompt final for the session. It stays, caret and all: typing on begins the next one. */
export async function submitPrompt(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== PROMPT_DOCUMENT || !document.getText().trim()) return;
  const params = { textDocument: { uri: document.uri.toString() } };
  if (await server.notify('textDocument/didSave', params)) {
    say('check', 'prompt recorded for this session');
  } else say('circle-slash', 'no server to submit to');
}

/** The block for the selection, all of a prompt, or else the paragraph at the caret, on the clipboard. */
export async function copyContext(server: Server): Promise<void> {
  const context = await contextAtHand(server);
  if (!context) return;
  await vscode.env.clipboard.writeText(context.text);
  say('copy', `context copied, ${plural(context.items.length, 'item')}`);
}

/** The same block at the end of the prompt, or in place of one that stands there. */
export async function insertContext(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const context = await contextAtHand(server);
  if (!editor || !context) return;
  const { document, selection } = editor;
  const text = document.getText();
  const [start, end] = blockIn(text, context.text).map((line) => document.lineAt(line).range);
  await editor.edit((edit) => {
    if (start && end) edit.replace(start.union(end), context.text);
    else edit.insert(document.positionAt(text.length), `\n\n${context.text}`);
  });
  editor.selection = selection;
  say('insert', `context inserted, ${plural(context.items.length, 'item')}`);
}

async function contextAtHand(server: Server): Promise<ContextResult | undefined> {
  const task = textAtHand();
  const context = task.trim() ? await server.ask('vouch/context', { task }) : undefined;
  if (context?.text) return context;
  say('info', context ? 'nothing is known about this' : 'no text to find context for');
  return undefined;
}

/** What is selected, all of a prompt, or the paragraph at the caret. */
function textAtHand(): string {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return '';
  const { document, selection } = editor;
  if (!selection.isEmpty) return document.getText(selection);
  if (document.languageId === PROMPT_DOCUMENT) return document.getText();
  const [first, last] = paragraphAt(document, selection.active.line);
  return document.getText(new vscode.Range(first, 0, last + 1, 0));
}
