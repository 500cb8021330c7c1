/** Asking for experts: the topic with its history, and the weight. */
import * as vscode from 'vscode';
import { WEIGHTS } from '../protocol.gen';
import { oneLine } from '../text/words';
import { type Experts, FIRST_WEIGHT, type Question } from './experts';

const HISTORY = 'experts.history';
const MOST_REMEMBERED = 20;

type Choice = vscode.QuickPickItem & { readonly topic: string };

export class ExpertCommands {
  constructor(
    private readonly experts: Experts,
    private readonly memory: vscode.Memento,
    /** Names that are proposed as topics. */
    private readonly inPlay: () => readonly string[],
  ) {}

  /** Asks for a topic where none is given, and shows who carries the evidence on it. */
  async find(given?: string): Promise<void> {
    const topic = (given ?? (await this.askTopic()))?.trim();
    if (!topic) return;
    const others = this.history.filter((before) => before !== topic);
    await this.memory.update(HISTORY, [topic, ...others].slice(0, MOST_REMEMBERED));
    await vscode.commands.executeCommand('vouchSidecar.experts.focus');
    await vscode.commands.executeCommand('list.focusFirst'); // else people may be scrolled away
    await this.run({ topic, weight: this.experts.question?.weight ?? FIRST_WEIGHT });
  }

  /** Weighs the evidence otherwise. */
  async weigh(): Promise<void> {
    const now = this.experts.question;
    if (!now) return;
    const items = Object.entries(WEIGHTS).map(([weight, description]) => ({
      label: `${weight === now.weight ? '$(check)' : '$(blank)'} ${weight}`,
      description,
      weight,
    }));
    const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Weigh the evidence' });
    if (chosen) await this.run({ topic: now.topic, weight: chosen.weight });
  }

  private get history(): string[] {
    return this.memory.get<string[]>(HISTORY, []);
  }

  private async run(question: Question): Promise<void> {
    const location = { location: { viewId: 'vouchSidecar.experts' } };
    await vscode.window.withProgress(location, () => this.experts.find(question));
  }

  private askTopic(): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick<Choice>();
    pick.title = 'Find Experts';
    pick.placeholder = 'A topic: words or a name';
    const word = wordAtCaret();
    const proposed = [
      ...(word ? [choice('edit', word, 'at the cursor')] : []),
      ...this.inPlay().map((name) => choice('eye', name, 'in play')),
      ...this.history.map((topic) => choice('history', topic)),
    ];
    const offer = (typed: string) => {
      const first = typed ? [{ ...choice('search', typed), alwaysShow: true }] : [];
      const all = new Map([...first, ...proposed].toReversed().map((each) => [each.topic, each]));
      pick.items = [...all.values()].reverse();
    };
    offer('');
    pick.onDidChangeValue((value) => offer(value.trim()));
    return new Promise((resolve) => {
      pick.onDidAccept(() => {
        // Who is fast accepts what stood there before it was filtered by what is typed.
        const chosen = pick.selectedItems[0]?.topic;
        const typed = pick.value.trim().toLowerCase();
        resolve(chosen?.toLowerCase().includes(typed) ? chosen : pick.value);
        pick.hide();
      });
      pick.onDidHide(() => {
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
    });
  }
}

const choice = (icon: string, topic: string, description = ''): Choice => ({
  label: `$(${icon}) ${topic}`,
  topic,
  description,
});

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
