/** Asking for experts: the topic, and the weight. */
import * as vscode from 'vscode';
import { WEIGHTS } from '../protocol.gen';
import { oneLine } from '../text/words';
import type { Experts } from './experts';

/** Asks for a topic where none is given, and shows who carries the evidence on it. */
export async function findExperts(experts: Experts, given?: string): Promise<void> {
  const asked = {
    title: 'Find Experts',
    prompt: 'A topic: words or a name',
    value: wordAtCaret() ?? '',
  };
  const topic = (given || (await vscode.window.showInputBox(asked)))?.trim();
  if (!topic) return;
  await vscode.commands.executeCommand('vouchSidecar.experts.focus');
  await vscode.commands.executeCommand('list.focusFirst'); // else people may be scrolled away
  // Of all weights, evidence ranks best on the labelled topics.
  await experts.find({ topic, weight: experts.question?.weight ?? 'evidence' });
}

/** Weighs the evidence otherwise. */
export async function weighExperts(experts: Experts): Promise<void> {
  const now = experts.question;
  if (!now) return findExperts(experts);
  const items = Object.entries(WEIGHTS).map(([weight, description]) => ({
    label: `${weight === now.weight ? '$(check)' : '$(blank)'} ${weight}`,
    description,
    weight,
  }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Weigh the evidence' });
  if (chosen) await experts.find({ topic: now.topic, weight: chosen.weight });
}

/** What is selected in the active editor, else the word at its caret; one letter is no topic. */
export function wordAtCaret(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  const word = range && oneLine(document.getText(range));
  return word && word.length > 1 ? word : undefined;
}
