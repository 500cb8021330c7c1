/** Asking for experts: the topic with its history, the weight, the types. */
import * as vscode from 'vscode';
import { WEIGHTS } from '../protocol.gen';
import { messageOf, oneLine } from '../text/words';
import { type Experts, FIRST_WEIGHT, type Question, remember } from './expertsView';

const HISTORY = 'experts.history';

type Choice = vscode.QuickPickItem & { readonly topic?: string };

export class ExpertCommands {
  constructor(
    private readonly experts: Experts,
    private readonly memory: vscode.Memento,
    /** Names that are proposed as topics. */
    private readonly names: { inPlay(): string[]; like(typed: string): Promise<string[]> },
  ) {}

  /** Asks for a topic where none is given, and shows who carries the evidence on it. */
  async find(given?: string): Promise<void> {
    const topic = (given ?? (await this.askTopic()))?.trim();
    if (!topic) return;
    await this.memory.update(HISTORY, remember(this.history, topic));
    const { weight = FIRST_WEIGHT } = this.experts.question ?? {};
    await vscode.commands.executeCommand('vouchSidecar.experts.focus');
    await vscode.commands.executeCommand('list.focusFirst'); // else people may be scrolled away
    await this.run({ topic, weight, types: [] });
  }

  /** Weighs the evidence otherwise, or shows or leaves out a type. */
  async filter(): Promise<void> {
    const now = this.experts.question;
    if (!now) return;
    const { weight, types } = now;
    const offered = [...new Set([...(await this.experts.typesOf(now.topic)), ...types])].sort();
    const items = [
      divider('Weigh by'),
      ...Object.entries(WEIGHTS).map(([other, description]) => ({
        ...checked(other, other === weight),
        description,
        question: { ...now, weight: other },
      })),
      divider('Show only'),
      { ...checked('all types', types.length === 0), question: { ...now, types: [] } },
      ...offered.map((type) => ({
        ...checked(type, types.includes(type)),
        question: {
          ...now,
          types: types.includes(type) ? types.filter((other) => other !== type) : [...types, type],
        },
      })),
    ];
    const chosen = await vscode.window.showQuickPick<
      vscode.QuickPickItem & { question?: Question }
    >(items, { placeHolder: 'Weigh the evidence, show only some types' });
    if (chosen?.question) await this.run(chosen.question);
  }

  private get history(): string[] {
    return this.memory.get<string[]>(HISTORY, []);
  }

  private async run(question: Question): Promise<void> {
    const location = { location: { viewId: 'vouchSidecar.experts' } };
    try {
      await vscode.window.withProgress(location, () => this.experts.find(question));
    } catch (error) {
      void vscode.window.showWarningMessage(`Vouch: ${messageOf(error)}`);
    }
  }

  private askTopic(): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick<Choice>();
    pick.title = 'Find Experts';
    pick.placeholder = 'A topic: words or a name';
    const word = wordAtCaret();
    const proposed = [
      ...(word ? [choice('edit', word, 'at the cursor')] : []),
      ...this.names.inPlay().map((name) => choice('eye', name, 'in play')),
      ...this.history.map((topic) => choice('history', topic)),
    ];
    const offer = (typed: string, completions: readonly string[]) => {
      const first = typed ? [{ ...choice('search', typed), alwaysShow: true }] : [];
      const all = [
        ...first,
        ...completions.map((name) => choice('symbol-misc', name)),
        ...proposed,
      ];
      const topics = all.map(({ topic }) => topic);
      pick.items = all.filter(({ topic }, at) => topics.indexOf(topic) === at);
    };
    offer('', []);
    pick.onDidChangeValue(async (value) => {
      const typed = value.trim();
      offer(typed, []);
      // What was typed can be asked whatever becomes of this.
      const names = typed ? await this.names.like(typed).catch(() => []) : [];
      if (names.length > 0 && pick.value === value) offer(typed, names);
    });
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

const divider = (label: string): vscode.QuickPickItem => ({
  label,
  kind: vscode.QuickPickItemKind.Separator,
});

const checked = (label: string, isChosen: boolean) => ({
  label: `${isChosen ? '$(check)' : '$(blank)'} ${label}`,
});

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
