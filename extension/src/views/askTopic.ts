/** Asking for experts: the topic, and the weight. */
import * as vscode from 'vscode';
import { WEIGHTS } from '../protocol.gen';
import { oneLine } from '../text/words';
import type { Experts, Question } from './experts';

/** Taken until another is chosen: it ranks best on the labelled topics. */
const FIRST_WEIGHT = 'evidence';

/** Asks for a topic where none is given, and shows who carries the evidence on it. */
export async function findExperts(experts: Experts, given?: string): Promise<void> {
  const asked = {
    title: 'Find Experts',
    prompt: 'A topic: words or a name',
    value: wordAtCaret() ?? '',
  };
  const topic = (given ?? (await vscode.window.showInputBox(asked)))?.trim();
  if (!topic) return;
  await vscode.commands.executeCommand('vouchSidecar.experts.focus');
  await vscode.commands.executeCommand('list.focusFirst'); // else people may be scrolled away
  await run(experts, { topic, weight: experts.question?.weight ?? FIRST_WEIGHT });
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
  if (chosen) await run(experts, { topic: now.topic, weight: chosen.weight });
}

async function run(experts: Experts, question: Question): Promise<void> {
  const location = { location: { viewId: 'vouchSidecar.experts' } };
  await vscode.window.withProgress(location, () => experts.find(question));
}

const LONGEST_SELECTION = 200;

/** What is selected in the active editor, else the word at its caret. */
export function wordAtCaret(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  const text = range && oneLine(document.getText(range));
  return text ? text.slice(0, LONGEST_SELECTION) : undefined;
}
